// Triangles on the host by one of two paths; README.md in this folder has both methods and their
// bounds. preprocess() looks at the degrees and prepares the path; execute() counts.
//
//   low     T = sum over u, over lower neighbours v of u, of |{w < v: w in rows u and v}|
//   ranked  vertices renumbered by degree, largest first; N+(x) the neighbours of x of lower rank,
//           at most sqrt(2 edges):  T = sum over edges x -> y of |N+(x) o N+(y)|
//
// Source: own. Orientation by degree and marks: Schank and Wagner, WEA 2005; Latapy, Theoretical
// Computer Science 407, 2008.
#include <string>

#include "formats/public_views.hpp"
#include "sparserepro/triangles.hpp"
#include "triangles/algorithms.hpp"
#include "triangles/host_run.hpp"

namespace sparserepro {
namespace {

using host::TrianglePath;

class OmpAdaptiveTriangles final : public HostTrianglesRun {
 public:
  OmpAdaptiveTriangles(const TrianglesProblem& problem, const Params& params)
      : HostTrianglesRun(problem),
        counter_(public_view(graph_),
                 {.threads = params.threads(), .path = path_named(params.text("path"))}) {}

  bool has_preprocess() const override { return true; }
  void preprocess() override { counter_.prepare(); }
  void execute() override {
    triangles_ = counter_.count({.of_vertex = of_vertex_.empty() ? nullptr : of_vertex_.data(),
                                 .of_entry = of_entry_.empty() ? nullptr : of_entry_.data()});
  }
  std::int64_t workspace_bytes() const override { return counter_.workspace_bytes(); }

  Measures measures() const override {
    Measures all = HostTrianglesRun::measures();
    const bool low = counter_.path() == TrianglePath::low;
    all.emplace_back("path_low", low ? 1.0 : 0.0);
    all.emplace_back("path_ranked", low ? 0.0 : 1.0);
    return all;
  }

 private:
  static TrianglePath path_named(const std::string& name) {
    return name == "low"      ? TrianglePath::low
           : name == "ranked" ? TrianglePath::ranked
                              : TrianglePath::automatic;
  }

  host::TriangleCounter counter_;
};

}  // namespace

Algorithm<TrianglesProblem> triangles_omp_adaptive() {
  return {.name = "omp_adaptive",
          .summary = "low degrees: rows compared in vectors; else orientation and bitmaps",
          .source = "own",
          .backend = Backend::omp,
          .parameters =
              {{"path", "auto", {"auto", "low", "ranked"}, "method; auto: chosen by the degrees"}},
          .prepare = make_run<OmpAdaptiveTriangles, TrianglesProblem>};
}

}  // namespace sparserepro
