// What cuda_csr_balanced does where it is told how many products will follow its analysis.
#include <cstdint>
#include <map>
#include <string>

#include "generate/generate.hpp"
#include "spmm/algorithms.hpp"
#include "spmm/cuda_csr_balanced/plan/choose_plan.hpp"
#include "support/catch.hpp"
#include "support/device.hpp"

using namespace sparserepro;
using namespace sparserepro::testing;

TEST_CASE("few calls with one column need no statistics") {
  constexpr std::int64_t paying = BalancedPolicy::paying_calls;
  CHECK(order_without_statistics(1, 0) == RowOrder::automatic);  // many
  CHECK(order_without_statistics(1, 1) == RowOrder::merged);
  CHECK(order_without_statistics(1, paying - 1) == RowOrder::merged);
  CHECK(order_without_statistics(1, paying) == RowOrder::automatic);
  CHECK(order_without_statistics(2, 1) == RowOrder::automatic);
}

TEST_CASE("groups pay from so many bytes of rows of X in all calls on") {
  CHECK(groups_pay(0, 1, 1, 8));  // many calls
  CHECK(groups_pay(5, 7'812'500, 8, 8));
  CHECK_FALSE(groups_pay(5, 7'812'499, 8, 8));
  CHECK_FALSE(groups_pay(5, 7'812'500, 8, 4));
  CHECK(groups_pay(10, 7'812'500, 8, 4));
  CHECK(groups_pay(1, 3'906'250, 80, 8));
  CHECK(groups_pay(1'000'000'000, 1'000'000'000'000, 1, 4));  // beyond 64-bit bytes
}

TEST_CASE("groups are sought where calls are many enough for them", "[small]") {
  require_device();
  const Algorithm<SpmmProblem> algorithm = spmm_cuda_csr_balanced();
  const Matrix matrix = generate("fem:nx=13,ny=13,nz=13,dofs=3");
  constexpr std::int64_t k = 32;
  const SpmmProblem problem(matrix, {{"k", k}, {"x_range", "signed"}, {"offset_bits", 32}});
  const SpmmReference reference = problem.reference();
  const auto paying = static_cast<std::int64_t>(BalancedPolicy::paying_group_bytes /
                                                (8.0 * k * static_cast<double>(matrix.csr.nnz())));
  REQUIRE(paying > BalancedPolicy::paying_calls);
  for (const auto& [calls, grouped] :
       std::map<std::int64_t, bool>{{0, true}, {1, false}, {paying, false}, {paying + 1, true}}) {
    INFO(calls << " calls");
    const auto run = algorithm.prepare(problem, {{"path", "auto"}, {"calls", calls}});
    run->preprocess();
    run->poison();
    run->execute();
    run->download();
    CHECK(problem.check(run->result(), reference).ok);
    const Measures measures = run->measures();
    const std::map<std::string, double> found(measures.begin(), measures.end());
    CHECK(found.at("row_groups") == (grouped ? 1 : 0));
  }
}
