// The run of cuda_multi_csr_balanced: what lies where, exchanges and products.
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "cuda/multi/group_run.hpp"
#include "formats/huge_pages.hpp"
#include "spmm/cuda_host.hpp"
#include "spmm/cuda_multi_csr_balanced/rank.cuh"
#include "spmm/spmm.hpp"

namespace sparserepro::multi {

enum class Operand { halo, broadcast, replicated };

inline Operand operand_named(const std::string& name) {
  return name == "halo"        ? Operand::halo
         : name == "broadcast" ? Operand::broadcast
                               : Operand::replicated;
}

template <class Offset, class Value>
class CudaMultiCsrBalanced final : public GroupRun<CudaRun<SpmmProblem>> {
 public:
  CudaMultiCsrBalanced(const SpmmProblem& problem, const Csr<Offset, double>& a,
                       const Params& params, const Placement& placement)
      : GroupRun(placement),
        k_(problem.k()),
        cols_(a.cols),
        rows_(a.rows),
        x_is_(operand_named(params.text("x"))),
        y_gathered_(params.text("y") == "gathered"),
        x_rows_of_share_(rows_of_share(cols_, group().size())),
        ranks_(static_cast<std::size_t>(group().size())) {
    const auto bounds = row_blocks(a.row_ptr.data(), a.rows, group().size());
    group().for_each([&](int rank) {
      auto& r = ranks_[static_cast<std::size_t>(rank)];
      const cudaStream_t s = group().stream(rank);
      const auto at = static_cast<std::size_t>(rank);
      r.first_row = bounds[at];
      r.rows = bounds[at + 1] - bounds[at];
      r.first_entry = a.row_ptr[bounds[at]];
      r.entries = a.row_ptr[bounds[at + 1]] - a.row_ptr[bounds[at]];
      r.x = DeviceBuffer<Value>(static_cast<std::size_t>(cols_ * k_), s);
      if (rank > 0) {  // what no block names remains, and is a number
        r.x.fill_bytes(0, s);
      }
      r.y = DeviceBuffer<Value>(
          static_cast<std::size_t>((rank == 0 && y_gathered_ ? rows_ : r.rows) * k_), s);
      if (rank == 0) {
        r.row_ptr = DeviceBuffer<Offset>(a.row_ptr, s);
        r.col_idx = DeviceBuffer<index_t>(a.col_idx, s);
        r.values = DeviceBuffer<Value>(problem.template values_as<Value>(), s);
        const auto& x = problem.template x_as<Value>();
        if (!x.empty()) {
          upload(r.x.data(), x.data(), x.size() * sizeof(Value), s);
        }
      } else {
        r.row_ptr = DeviceBuffer<Offset>(static_cast<std::size_t>(r.rows) + 1, s);
        r.col_idx = DeviceBuffer<index_t>(static_cast<std::size_t>(r.entries), s);
        r.values = DeviceBuffer<Value>(static_cast<std::size_t>(r.entries), s);
      }
      if (is_split()) {
        r.split = {r.rows, r.entries, group().size(), s};
      }
    });
    group().join();
  }

  bool has_preprocess() const override { return true; }
  void preprocess() override {
    group().fork();
    distribute();
    group().in_parallel([&](int rank) {
      auto& r = ranks_[static_cast<std::size_t>(rank)];
      const cudaStream_t s = group().stream(rank);
      if (rank > 0) {
        rebase(r.row_ptr.data(), r.rows + 1, static_cast<Offset>(r.first_entry), s);
      }
      const CsrInput block{r.rows,           cols_,          r.entries, r.row_ptr.data(),
                           r.col_idx.data(), r.values.data()};
      if (!is_split()) {
        return r.block.analyse(block, k_, s);
      }
      r.split.make(block, {rank, group().size(), static_cast<index_t>(x_rows_of_share_)}, s);
      r.block.analyse(r.split.own(), k_, s);
      if (r.split.others().nnz > 0) {
        r.others.analyse(r.split.others(), k_, s);
      }
    });
    if (is_split()) {
      find_halo();
    }
    group().join();
  }

  void execute() override {
    group().fork();
    if (x_is_ == Operand::broadcast) {
      group().broadcast(all_x(), x_bytes());
    } else if (is_split()) {
      group().exchange_beside(halo_);
    }
    group().for_each([&](int rank) {
      auto& r = ranks_[static_cast<std::size_t>(rank)];
      if (r.rows > 0) {
        r.block.multiply(r.x.data(), 0.0, r.y.data(), group().stream(rank));
      }
    });
    if (is_split()) {
      group().await_exchange();
      group().for_each([&](int rank) {
        auto& r = ranks_[static_cast<std::size_t>(rank)];
        if (r.split.others().nnz > 0) {
          r.others.multiply(r.x.data(), 1.0, r.y.data() + r.split.other_rows().first * k_,
                            group().stream(rank));
        }
      });
    }
    if (y_gathered_) {
      std::vector<DeviceGroup::Transfer> transfers;
      for (int rank = 1; rank < group().size(); ++rank) {
        auto& r = ranks_[static_cast<std::size_t>(rank)];
        transfers.push_back({rank, 0, r.y.data(), ranks_[0].y.data() + r.first_row * k_,
                             static_cast<std::size_t>(r.rows * k_) * sizeof(Value)});
      }
      group().exchange(transfers);
    }
    group().join();
  }

  /// NaN in every element of Y, and of X in what execute() is to bring.
  void poison() override {
    group().for_each([&](int rank) {
      auto& r = ranks_[static_cast<std::size_t>(rank)];
      const cudaStream_t s = group().stream(rank);
      r.y.fill_bytes(0xff, s);
      if (x_is_ == Operand::broadcast && rank > 0) {
        r.x.fill_bytes(0xff, s);
      }
      for (const DeviceGroup::Transfer& t : halo_) {
        if (t.to == rank) {
          CUDA_CHECK(cudaMemsetAsync(t.target, 0xff, t.bytes, s));
        }
      }
    });
    group().join();
  }

  void download() override {
    if (host_y_.size() != static_cast<std::size_t>(rows_ * k_)) {
      host_y_ = Buffer<Value>();
      host_y_.resize(static_cast<std::size_t>(rows_ * k_));
      advise_huge_pages(host_y_);
    }
    group().for_each([&](int rank) {
      auto& r = ranks_[static_cast<std::size_t>(rank)];
      if (!y_gathered_ || rank == 0) {
        r.y.copy_to(host_y_.data() + r.first_row * k_, group().stream(rank));
      }
      CUDA_CHECK(cudaStreamSynchronize(group().stream(rank)));
    });
  }
  Dense result() override { return dense_of(host_y_, rows_, k_); }

  std::int64_t workspace_bytes() const override {
    std::size_t bytes = 0;
    for (const auto& r : ranks_) {
      bytes += r.block.bytes() + r.others.bytes() + r.split.bytes();
      if (&r != ranks_.data()) {  // the copies of A's blocks and of X
        bytes += r.row_ptr.bytes() + r.col_idx.bytes() + r.values.bytes() + r.x.bytes();
      }
    }
    return static_cast<std::int64_t>(bytes);
  }
  /// gpus, and the entries of the fullest block over the mean.
  Measures measures() const override {
    std::int64_t most = 0, all = 0;
    for (const auto& r : ranks_) {
      most = std::max(most, r.entries);
      all += r.entries;
    }
    const auto size = static_cast<double>(ranks_.size());
    return {{"gpus", size},
            {"imbalance", all == 0 ? 1.0 : size * static_cast<double>(most) / all},
            {"exchanged_bytes", exchanged_bytes()}};
  }

 private:
  std::size_t x_bytes() const { return static_cast<std::size_t>(cols_ * k_) * sizeof(Value); }
  std::vector<void*> all_x() {
    std::vector<void*> all;
    for (auto& r : ranks_) {
      all.push_back(r.x.data());
    }
    return all;
  }

  /// Bytes that one execution sends between devices.
  double exchanged_bytes() const {
    double bytes = 0.0;
    if (x_is_ == Operand::broadcast) {
      bytes += static_cast<double>(ranks_.size() - 1) * static_cast<double>(x_bytes());
    }
    for (const DeviceGroup::Transfer& t : halo_) {
      bytes += static_cast<double>(t.bytes);
    }
    if (y_gathered_) {
      bytes += static_cast<double>((rows_ - ranks_[0].rows) * k_) * sizeof(Value);
    }
    return bytes;
  }

  /// Sends the blocks of A, and X where it is not broadcast by execute().
  void distribute() {
    std::vector<DeviceGroup::Transfer> transfers;
    auto& first = ranks_[0];
    for (int rank = 1; rank < group().size(); ++rank) {
      auto& r = ranks_[static_cast<std::size_t>(rank)];
      transfers.push_back(
          {0, rank, first.row_ptr.data() + r.first_row, r.row_ptr.data(), r.row_ptr.bytes()});
      transfers.push_back(
          {0, rank, first.col_idx.data() + r.first_entry, r.col_idx.data(), r.col_idx.bytes()});
      transfers.push_back(
          {0, rank, first.values.data() + r.first_entry, r.values.data(), r.values.bytes()});
      if (x_is_ == Operand::halo) {
        const std::int64_t from = std::min(rank * x_rows_of_share_, cols_);
        const std::int64_t end = std::min(from + x_rows_of_share_, cols_);
        transfers.push_back({0, rank, first.x.data() + from * k_, r.x.data() + from * k_,
                             static_cast<std::size_t>((end - from) * k_) * sizeof(Value)});
      }
    }
    group().exchange(transfers);
    if (x_is_ == Operand::replicated) {
      group().broadcast(all_x(), x_bytes());
    }
  }

  /// The transfers of X: from each rank to each other one the rows that the latter's block names,
  /// from the first to the last.
  void find_halo() {
    halo_.clear();
    for (int to = 0; to < group().size(); ++to) {
      auto& r = ranks_[static_cast<std::size_t>(to)];
      for (int from = 0; from < group().size(); ++from) {
        const Interval& named = r.split.named(from);
        if (named.size() > 0) {
          const std::int64_t at = named.first * k_;
          halo_.push_back({from, to, ranks_[static_cast<std::size_t>(from)].x.data() + at,
                           r.x.data() + at,
                           static_cast<std::size_t>(named.size() * k_) * sizeof(Value)});
        }
      }
    }
  }

  bool is_split() const { return x_is_ == Operand::halo && group().size() > 1; }

  std::int64_t k_, cols_, rows_;
  Operand x_is_;
  bool y_gathered_;
  std::int64_t x_rows_of_share_;
  std::vector<DeviceGroup::Transfer> halo_;
  std::vector<Rank<Offset, Value>> ranks_;
  Buffer<Value> host_y_;
};

}  // namespace sparserepro::multi
