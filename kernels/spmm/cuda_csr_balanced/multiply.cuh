// cuda_csr_balanced as a class that any owner of device arrays can use: analyse the matrix once,
// multiply often.
#pragma once

#include <optional>
#include <type_traits>

#include "cuda/device_memory.hpp"
#include "cuda/launch.hpp"
#include "formats/error.hpp"
#include "spmm/cuda_csr_balanced/analysis/row_analysis.cuh"
#include "spmm/cuda_csr_balanced/flat/multiply.cuh"
#include "spmm/cuda_csr_balanced/merged/multiply.cuh"
#include "spmm/cuda_csr_balanced/rows/blocks.cuh"
#include "spmm/cuda_csr_balanced/rows/one_load.cuh"
#include "spmm/cuda_csr_balanced/rows/one_slot.cuh"
#include "spmm/cuda_csr_balanced/rows/product.cuh"
#include "spmm/cuda_csr_balanced/rows/short_rows.cuh"

namespace sparserepro::balanced {

/// Y = alpha A X + beta Y for matrices X and Y of k columns, all of Element.
template <class Offset, class Element>
class BalancedCsr {
 public:
  using Sum = SumType<Element>;

  /// `a` in device memory, its arrays aligned to 16 bytes; it must outlive this, as must `memory`,
  /// where the lists of the analysis go. `forced` takes the place of the order that the policy
  /// chooses; throws InputError where `order_refusal` says why it cannot. `calls` products follow
  /// the analysis, 0: many.
  BalancedCsr(CsrView<Offset, Element> a, std::int64_t k, DeviceMemory& memory,
              std::optional<RowOrder> forced = {}, std::int64_t calls = 0)
      : a_(a),
        k_(k),
        analysis_({a.rows, a.cols, a.nnz, a.row_ptr, a.col_idx, nullptr}, k, sizeof(Element),
                  memory, forced, calls) {
    if (const std::string reason = forced ? order_refusal(*forced, a.nnz, k, sizeof(Element)) : "";
        !reason.empty()) {
      throw InputError(reason);
    }
    if (analysis_.plan().order == RowOrder::merged) {
      merged_.emplace(a);
    }
    if constexpr (takes_flat) {
      if (k == 1 && !merged_ && forced.value_or(RowOrder::flat) == RowOrder::flat) {
        flat_.emplace(a, memory);
      }
    }
    if (k > 1 && a.rows > 0 &&
        (forced ? *forced == RowOrder::flat
                : !are_few(calls) && may_go_by_shares(a.nnz, k, sizeof(Element)))) {
      shares_.emplace(a, k, memory);
    }
  }

  /// Of entries in the order of A's; products read them from now on.
  void set_values(const Element* values) {
    a_.values = values;
    const auto set = [values](auto& path) {
      if (path) {
        path->set_values(values);
      }
    };
    set(merged_);
    set(shares_);
    if constexpr (takes_flat) {
      set(flat_);
    }
  }

  /// Counts the rows' statistics, chooses a plan and builds its lists on `stream`; waits for the
  /// statistics. Path merged needs nothing.
  void analyse(cudaStream_t stream) {
    if (a_.rows == 0 || merged_) {
      return;
    }
    analysis_(stream);
    if (plan().order == RowOrder::flat) {
      shares_ ? shares_->analyse(statistics(), stream) : flat_->analyse(statistics(), stream);
    }
  }

  /// Sums of segments or tasks that a product writes; after the analysis.
  std::size_t partial_sums() const {
    return a_.rows == 0                     ? 0
           : merged_                        ? merged_->sums()
           : plan().order == RowOrder::flat ? (shares_ ? shares_->sums() : 0)
           : analysis_.block_segments()     ? 0
                                            : statistics().segments * static_cast<std::size_t>(k_);
  }

  /// Queues Y = alpha A X + beta Y on `stream`. `partial` has room for partial_sums() elements.
  void multiply(Sum alpha, const Element* x, Sum beta, Element* y, Sum* partial,
                cudaStream_t stream) const {
    if (a_.rows == 0 || k_ == 0) {
      return;
    }
    if (merged_) {
      merged_->multiply(alpha, x, beta, y, partial, stream);
    } else if (plan().order == RowOrder::flat && shares_) {
      shares_->multiply(alpha, x, beta, y, partial, stream);
    } else if (plan().order == RowOrder::flat) {
      if constexpr (takes_flat) {
        flat_->multiply(alpha, x, beta, y, stream);
      }
    } else if (plan().order == RowOrder::grouped) {
      plan().group_rows == 4   ? launch_width<4>(alpha, x, beta, y, partial, stream)
      : plan().group_rows == 3 ? launch_width<3>(alpha, x, beta, y, partial, stream)
                               : launch_width<2>(alpha, x, beta, y, partial, stream);
    } else {
      launch_width<1>(alpha, x, beta, y, partial, stream);
    }
  }

  const BalancedPlan& plan() const { return analysis_.plan(); }
  const RowStatistics& statistics() const { return analysis_.statistics(); }

 private:
  static constexpr bool takes_flat = std::is_same_v<Element, Sum>;  // K = 1

  template <int Rows>
  void launch_width(Sum alpha, const Element* x, Sum beta, Element* y, Sum* partial,
                    cudaStream_t stream) const {
    if constexpr (most_width(sizeof(Element)) == 4) {
      if (plan().width == 4) {
        return launch<4, Rows>(alpha, x, beta, y, partial, stream);
      }
    }
    plan().width == 2 ? launch<2, Rows>(alpha, x, beta, y, partial, stream)
                      : launch<1, Rows>(alpha, x, beta, y, partial, stream);
  }

  /// Appends places [begin, end) of the order; returns the block after them.
  static unsigned add_bin(ProductInput<Offset, Element>& in, unsigned block, std::int64_t begin,
                          std::int64_t end, int log_slots) {
    in.bin[in.bins++] = {block, static_cast<index_t>(begin), static_cast<index_t>(end), log_slots};
    const std::int64_t teams = BalancedPolicy::threads >> (in.log_lanes + log_slots);
    return block + static_cast<unsigned>(ceil_div<std::int64_t>(end - begin, teams));
  }

  /// Blocks of segments, of `warps` warps each.
  static unsigned segment_blocks(const ProductInput<Offset, Element>& in, unsigned warps) {
    return in.block_segments ? in.segments : ceil_div(in.segments, warps);
  }

  /// Shared memory of a block for the sums of its warps, of `columns` columns a lane.
  static std::size_t shared_bytes(const ProductInput<Offset, Element>& in, unsigned warps,
                                  int columns) {
    return in.block_segments ? (warps - 1) * std::size_t{32} * sizeof(Sum) * columns : 0;
  }

  /// Fills the work of `in`; returns the number of blocks.
  unsigned lay_out(ProductInput<Offset, Element>& in) const {
    in.segment_blocks = segment_blocks(in, BalancedPolicy::threads / 32U);
    unsigned block = in.segment_blocks;
    in.order = analysis_.order();
    if (plan().order != RowOrder::binned) {
      const index_t places = plan().order == RowOrder::grouped ? analysis_.groups() : a_.rows;
      return add_bin(in, block, 0, places, plan().log_slots);
    }
    auto begin = static_cast<std::int64_t>(rows_of_bin(statistics(), RowStatistics::long_bin));
    for (int b = RowStatistics::long_bin - 1; b >= 0; --b) {
      const auto rows = static_cast<std::int64_t>(statistics().bin_rows[b]);
      if (rows > 0) {
        const double longest = b == 0 ? 0.0 : static_cast<double>(1 << (b - 1));
        block = add_bin(in, block, begin, begin + rows, choose_log_slots(longest, plan()));
      }
      begin += rows;
    }
    return block;
  }

  template <int Width, int Rows>
  auto chosen_kernel() const {
    if constexpr (Rows == 1) {
      if (plan().order != RowOrder::binned && plan().log_slots == 0) {
        return chosen_row_kernel<Width, Offset, Element>(plan(), k_);
      }
      if (plan().loads == 3) {
        return product_kernel<Width, 3, 1, BalancedPolicy::unroll(1, 3), Offset, Element>;
      }
      if (plan().loads == 2 && plan().batch == 2) {
        return product_kernel<Width, 2, 1, 2, Offset, Element>;
      }
    }
    if constexpr (Rows > 1 && Width > 1) {
      if (plan().loads == 3) {
        return product_kernel<Width, 3, Rows, BalancedPolicy::unroll(Rows, 3), Offset, Element>;
      }
    }
    constexpr int one = BalancedPolicy::unroll(Rows, 1), two = BalancedPolicy::unroll(Rows, 2);
    return plan().loads == 2 ? product_kernel<Width, 2, Rows, two, Offset, Element>
                             : product_kernel<Width, 1, Rows, one, Offset, Element>;
  }

  /// The first kernel begins when all before the product has ended, so that products queued one
  /// behind the other take what one alone takes; the others begin early, and wait.
  template <int Width, int Rows>
  void launch(Sum alpha, const Element* x, Sum beta, Element* y, Sum* partial,
              cudaStream_t stream) const {
    ProductInput<Offset, Element> in{};
    in.a = a_;
    in.x = x;
    in.y = y;
    in.k = static_cast<unsigned>(k_);
    in.alpha = alpha;
    in.beta = beta;
    in.column_block = plan().column_block;
    in.log_lanes = plan().log_lanes;
    in.segment = analysis_.segment();
    in.block_segments = analysis_.block_segments();
    in.segments = static_cast<unsigned>(statistics().segments);
    in.segment_row = analysis_.segment_row();
    in.first_segment = analysis_.first_segment();
    in.partial = partial;
    if constexpr (Rows == 1) {
      if (plan().one_load) {
        const bool passes =
            passes_l2(a_.rows, a_.cols, a_.nnz, k_, sizeof(Element), BalancedPolicy::passing_bytes);
        return launch_one_load<Width, Offset, Element>({a_, x, y, alpha, beta}, plan().log_slots,
                                                       passes, stream);
      }
      if (plan().order == RowOrder::blocks) {
        return launch_blocks<Width>(in, row_block(a_.rows, k_, Width), stream);
      }
      if (plan().order == RowOrder::short_rows) {
        const ShortLanes lanes = short_lanes(k_, Width);
        const unsigned rows = BalancedPolicy::threads / lanes.lanes * unsigned(lanes.rows);
        in.ahead = choose_ahead(plan(), a_.rows, a_.nnz, rows, sizeof(Element));
        return launch_short_rows<Width>(in, lanes, stream);
      }
    }
    const bool packed = Rows == 1 && is_packed(plan().order);
    const unsigned blocks = packed ? launch_packed<Width>(in, stream) : lay_out(in);
    if (blocks > 0 && !packed) {
      const unsigned teams = BalancedPolicy::threads >> (plan().log_lanes + plan().log_slots);
      in.ahead = choose_ahead(plan(), a_.rows, a_.nnz, Rows * teams, sizeof(Element));
      const auto kernel = chosen_kernel<Width, Rows>();
      for_column_blocks(in, plan().column_block, [&](unsigned column_blocks) {
        queue_kernel(in.first_column_block == 0 ? Begins::after_previous : Begins::early, kernel,
                     dim3(blocks, column_blocks), BalancedPolicy::threads, stream, in,
                     shared_bytes(in, BalancedPolicy::threads / 32U, Width * plan().loads));
      });
    }
    if (in.combines()) {
      in.combine_log_lanes = choose_combine_log_lanes(statistics().longest, in.segment, k_);
      for_column_blocks(in, 1U << in.combine_log_lanes, [&](unsigned column_blocks) {
        queue_kernel(blocks > 0 ? Begins::early : Begins::after_previous,
                     combine_kernel<Offset, Element>,
                     dim3(ceil_div(in.segments, 4U), column_blocks), 128, stream, in);
      });
    }
  }

  /// Queues the kernel of path packed; returns the number of its blocks.
  template <int Width>
  unsigned launch_packed(ProductInput<Offset, Element>& in, cudaStream_t stream) const {
    const double mean = static_cast<double>(statistics().short_entries) / a_.rows;
    const unsigned threads =
        plan().order == RowOrder::staged ? BalancedPolicy::threads : packed_threads(mean);
    in.segment_blocks = segment_blocks(in, threads / 32);
    PackedInput<Offset, Element> all{in, in.k / Width, 0, 0};
    all.rows = threads / all.lanes;
    all.inverse = ceil_div(65536U, all.lanes);
    all.product.ahead = choose_ahead(plan(), a_.rows, a_.nnz, all.rows, sizeof(Element));
    const unsigned blocks = in.segment_blocks + ceil_div(static_cast<unsigned>(a_.rows), all.rows);
    queue_kernel(Begins::after_previous,
                 plan().order == RowOrder::staged ? staged_kernel<Width, Offset, Element>
                 : BalancedPolicy::packed_batch(mean) == 2
                     ? packed_kernel<Width, 2, Offset, Element>
                     : packed_kernel<Width, 4, Offset, Element>,
                 blocks, threads, stream, all, shared_bytes(in, threads / 32, Width));
    return blocks;
  }

  CsrView<Offset, Element> a_;
  std::int64_t k_;
  RowAnalysis<Offset> analysis_;
  std::optional<MergedCsr<Offset, Element>> merged_;  // where the plan needs no statistics
  // Unless another order is forced, or never chosen:
  std::optional<FlatCsr<Offset, Sum>> flat_;          // with one column
  std::optional<SharesCsr<Offset, Element>> shares_;  // with more
};

}  // namespace sparserepro::balanced
