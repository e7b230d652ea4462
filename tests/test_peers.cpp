// Peers on the host: every build lists them, their answers are right, and their refusals give the
// reason. The batteries of test_transpose.cpp and test_spmm.cpp check their answers too.
#include <malloc.h>
#include <sys/resource.h>

#include <charconv>
#include <initializer_list>
#include <iostream>
#include <string>
#include <vector>

#include "cuda/device_info.hpp"
#include "cuda/peers/cusparse_version.hpp"
#include "formats/statistics/duplicates.hpp"
#include "generate/generate.hpp"
#include "harness/build_info.hpp"
#include "peers/available.hpp"
#include "primitives/primitives.hpp"
#include "spmm/spmm.hpp"
#include "support/battery.hpp"
#include "support/catch.hpp"
#include "support/sanitized.hpp"
#include "transpose/transpose.hpp"
#include "triangles/triangles.hpp"

using namespace sparserepro;

namespace {

template <class Problem>
const Algorithm<Problem>& named(const std::vector<Algorithm<Problem>>& table,
                                const std::string& name) {
  for (const auto& algorithm : table) {
    if (algorithm.name == name) {
      return algorithm;
    }
  }
  throw std::out_of_range(name);
}

/// Those of the named peers whose library the build has; warns of the others. Skips the test case
/// where there is none.
template <class Problem>
std::vector<const Algorithm<Problem>*> found(const std::vector<Algorithm<Problem>>& table,
                                             std::initializer_list<const char*> names) {
  std::vector<const Algorithm<Problem>*> all;
  std::string reasons;
  for (const char* const name : names) {
    const Algorithm<Problem>& algorithm = named(table, name);
    const std::string reason = algorithm.unavailable();
    if (reason.empty()) {
      all.push_back(&algorithm);
    } else {
      WARN("not run: " << name << ": " << reason);
      reasons += (reasons.empty() ? "" : "; ") + reason;
    }
  }
  if (all.empty()) {
    SKIP(reasons);
  }
  return all;
}

/// Checks the entry of a peer: with the library, its source and the build name the version, and it
/// can be prepared; without, it gives the reason. `lacking` is "" with the library; `otherwise` is
/// why a peer cannot run all the same.
template <class Problem>
void check_entry(const Algorithm<Problem>& algorithm, const std::string& title,
                 const std::string& lacking, const std::string& otherwise = "") {
  INFO(algorithm.name);
  CHECK(algorithm.peer);
  CHECK(algorithm.unavailable() == (lacking.empty() ? otherwise : lacking));
  CHECK(algorithm.source.find(title) == 0);
  CHECK((build_info().peers.find(title) != std::string::npos) == lacking.empty());
  CHECK(static_cast<bool>(algorithm.prepare) == lacking.empty());
}

Matrix with_duplicate(std::vector<testing::Entry> entries) {
  return testing::matrix_from_entries("duplicate", 3, 3, entries);
}

}  // namespace

TEST_CASE("peers are listed whether or not their library was found") {
  const auto& transpose = transpose_algorithms();
  const auto& spmm = spmm_algorithms();
  const auto& triangles = triangles_algorithms();
  check_entry(named(transpose, "eigen_transpose"), eigen_library.title(),
              eigen_library.unavailable());
  check_entry(named(transpose, "graphblas_transpose"), graphblas_library.title(),
              graphblas_library.unavailable());
  check_entry(named(transpose, "mkl_convert_csr"), mkl_library.title(), mkl_library.unavailable());
  check_entry(named(spmm, "eigen_csr"), eigen_library.title(), eigen_library.unavailable());
  check_entry(named(spmm, "graphblas_csr"), graphblas_library.title(),
              graphblas_library.unavailable());
  check_entry(named(spmm, "mkl_csr"), mkl_library.title(), mkl_library.unavailable());
  check_entry(named(spmm, "aocl_csr"), aocl_library.title(), aocl_library.unavailable());
  check_entry(named(spmm, "rode_csr"), rode_code.title(), rode_code.unavailable(),
              cuda_unavailable());
  check_entry(named(spmm, "sputnik_csr"), sputnik_code.title(), sputnik_code.unavailable(),
              cuda_unavailable());
  check_entry(named(spmm, "gespmm_csr"), gespmm_code.title(), gespmm_code.unavailable(),
              cuda_unavailable());
  check_entry(named(transpose, "aocl_csr2csc"), aocl_library.title(), aocl_library.unavailable());
  check_entry(named(triangles, "graphblas_masked"), graphblas_library.title(),
              graphblas_library.unavailable());
  check_entry(named(triangles, "igraph_triangles"), igraph_library.title(),
              igraph_library.unavailable());
  check_entry(named(triangles, "networkit_triangles"), networkit_library.title(),
              networkit_library.unavailable());
}

TEST_CASE("peers release an answer outside the clock") {
  if (testing::sanitizer_allocates) {
    SKIP("the sanitizer's allocator is in the place of malloc");
  }
  const Matrix matrix = generate("uniform:rows=20000,cols=20000,nnz=2000000");
  const TransposeProblem problem(matrix,
                                 {{"value_type", "fp64"}, {"offset_bits", std::int64_t{32}}});
  const auto answer = problem.reference();
  const auto in_use = [] {
    const auto info = mallinfo2();
    return info.uordblks + info.hblkhd;
  };
  for (const auto* const algorithm : found(
           transpose_algorithms(), {"eigen_transpose", "graphblas_transpose", "mkl_convert_csr"})) {
    INFO(algorithm->name);
    const auto run = algorithm->prepare(problem, {{"threads", std::int64_t{2}}});
    run->execute();
    const std::size_t before = in_use();
    run->discard();
    CHECK(before - in_use() >= std::size_t{12} * 2000000);
    run->execute();
    CHECK(problem.check(run->result(), answer).ok);
  }
}

TEST_CASE("GraphBLAS multiplies without page faults under the drivers' settings of malloc") {
  if (testing::sanitizer_allocates) {
    SKIP("the sanitizer's allocator is in the place of malloc");
  }
  const auto& algorithm = *found(spmm_algorithms(), {"graphblas_csr"}).front();
  constexpr std::int64_t rows = 200000, k = 32;
  const Matrix matrix = generate("banded:rows=200000,diagonals=1");
  const SpmmProblem problem(matrix,
                            {{"k", k}, {"x_range", "signed"}, {"offset_bits", std::int64_t{32}}});
  REQUIRE(mallopt(M_MMAP_MAX, 0) == 1);
  REQUIRE(mallopt(M_TRIM_THRESHOLD, 1 << 30) == 1);
  const auto run = algorithm.prepare(problem, {{"threads", std::int64_t{1}}});
  run->poison();
  run->execute();
  rusage before{}, after{};
  getrusage(RUSAGE_SELF, &before);
  run->execute();
  getrusage(RUSAGE_SELF, &after);
  CHECK(after.ru_minflt - before.ru_minflt < rows * k * 8 / 4096 / 8);
}

/// Checks that every peer on the device names its library, with the version in use in builds with
/// CUDA.
template <class Problem>
void check_libraries(const std::vector<Algorithm<Problem>>& table) {
  for (const auto& algorithm : table) {
    if (!algorithm.peer || algorithm.backend != Backend::cuda) {
      continue;
    }
    INFO(algorithm.name << ": " << algorithm.library());
    const PeerLibrary* const code = algorithm.name == "rode_csr"      ? &rode_code
                                    : algorithm.name == "sputnik_csr" ? &sputnik_code
                                    : algorithm.name == "gespmm_csr"  ? &gespmm_code
                                                                      : nullptr;
    if (code != nullptr) {  // its version is that of a clone
      CHECK(algorithm.library() == code->title());
      CHECK(algorithm.source.size() > algorithm.library().size());
      continue;
    }
    const bool cub = algorithm.name.find("cub_") == 0;
    CHECK((cub || algorithm.name.find("cusparse_") == 0));
    CHECK((cub ? algorithm.library().find("CUB") == 0 : algorithm.library() == cusparse_title()));
    CHECK(algorithm.source.size() > algorithm.library().size());
#ifdef SPARSEREPRO_HAS_CUDA
    int parts = 0, number = 0;
    const std::string version = algorithm.library().substr(algorithm.library().find(' ') + 1);
    for (const char* p = version.data(); p < version.data() + version.size(); ++p, ++parts) {
      p = std::from_chars(p, version.data() + version.size(), number).ptr;
      CHECK(number >= 0);
    }
    CHECK(parts == 3);
#endif
  }
}

TEST_CASE("oneMKL multiplies with its hints and without them") {
  const auto& mkl = *found(spmm_algorithms(), {"mkl_csr"}).front();
  const Matrix matrix = generate("fem:stencil=9,nx=30,ny=20,nz=1,dofs=2");
  for (const std::int64_t k : {1, 5}) {
    const SpmmProblem problem(matrix,
                              {{"k", k}, {"x_range", "signed"}, {"offset_bits", std::int64_t{32}}});
    const SpmmReference reference = problem.reference();
    for (const std::int64_t calls : {0, 1, 7}) {
      const auto run = mkl.prepare(problem, {{"threads", std::int64_t{2}}, {"calls", calls}});
      for (int execution = 0; execution < 2; ++execution) {
        run->preprocess();
        run->poison();
        run->execute();
        const CheckOutcome outcome = problem.check(run->result(), reference);
        INFO("k = " << k << ", calls = " << calls << ": " << outcome.detail);
        CHECK(outcome.ok);
      }
    }
  }
}

TEST_CASE("peers on the device name the library that is in use") {
  check_libraries(transpose_algorithms());
  check_libraries(spmm_algorithms());
  check_libraries(triangles_algorithms());
  check_libraries(primitives_algorithms());
}

TEST_CASE("duplicates are found in rows in order and out of order") {
  CHECK_FALSE(has_duplicates(with_duplicate({{0, 0, 1}, {0, 2, 1}, {1, 0, 1}}).csr.view()));
  CHECK(has_duplicates(with_duplicate({{0, 0, 1}, {2, 1, 1}, {2, 1, 3}}).csr.view()));
  Matrix unordered = with_duplicate({{1, 0, 1}, {1, 1, 1}, {1, 2, 1}});
  unordered.csr.col_idx = {2, 0, 1};
  CHECK_FALSE(has_duplicates(unordered.csr.view()));
  unordered.csr.col_idx = {2, 0, 2};
  CHECK(has_duplicates(unordered.csr.view()));
}

TEST_CASE("what a library has no matrix for is refused with the reason") {
  const Matrix repeated = with_duplicate({{0, 0, 1}, {2, 1, 1}, {2, 1, 3}});
  const auto refusal = [](const char* name, const Matrix& matrix, const char* type,
                          std::int64_t bits) {
    const TransposeProblem problem(matrix, {{"value_type", type}, {"offset_bits", bits}});
    return named(transpose_algorithms(), name).refusal(problem, {{"threads", std::int64_t{1}}});
  };
  CHECK(refusal("graphblas_transpose", repeated, "fp64", 32) ==
        "GraphBLAS has no matrix with duplicates");
  CHECK(refusal("eigen_transpose", repeated, "fp32", 32).empty());
  CHECK(refusal("eigen_transpose", repeated, "pattern", 32) == "Eigen has no pattern matrix");
  CHECK(refusal("mkl_convert_csr", repeated, "fp64", 64) ==
        "oneMKL has one integer type, so that 64-bit row pointers would double the column indices");
  CHECK(refusal("mkl_convert_csr", testing::matrix_from_entries("empty", 3, 0, {}), "fp64", 32) ==
        "oneMKL has no matrix without rows, columns or entries");
}

TEST_CASE("triangle peers agree with the oracle") {
  std::vector<Matrix> graphs = {generate("rmat:scale=11"), generate("mesh:width=40,height=30"),
                                generate("complete:vertices=300"), generate("star:leaves=70")};
  for (const auto& [name, matrix, is_graph] : testing::battery()) {
    if (matrix.csr.rows == matrix.csr.cols) {
      graphs.push_back(matrix);
    }
  }
  for (const auto* const algorithm :
       found(triangles_algorithms(),
             {"graphblas_masked", "igraph_triangles", "networkit_triangles"})) {
    for (const Matrix& matrix : graphs) {
      const TrianglesProblem problem(matrix, {{"strict", std::int64_t{0}}});
      for (const std::int64_t threads : {1, 2, 3}) {
        const Params params{{"threads", threads}};
        if (algorithm->refusal && !algorithm->refusal(problem, params).empty()) {
          CHECK(problem.graph().vertices == 0);
          continue;
        }
        INFO(algorithm->name << ", " << matrix.name << ", " << threads << " threads");
        const auto run = algorithm->prepare(problem, params);
        for (int round = 0; round < 2; ++round) {
          run->preprocess();
          run->poison();
          CHECK_FALSE(problem.check(run->result(), problem.reference()).ok);
          run->execute();
          CHECK(problem.check(run->result(), problem.reference()).ok);
        }
      }
    }
  }
}
