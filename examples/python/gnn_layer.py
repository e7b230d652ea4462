"""A layer of a graph neural network, Y = relu(A X W), forward and backward.

A is the normalised adjacency of a graph, fp32. Beside our operator stand torch.sparse.mm on a CSR
tensor, and gathering and scattering along the edges as PyTorch Geometric does it.
"""

from __future__ import annotations

import torch
from measuring import arguments, record, show, side_by_side

from sparserepro.adapters import graphs, pytorch


def normalised_graph(vertices: int, degree: int, device: str) -> tuple[torch.Tensor, ...]:
    """indptr, indices and values of D^-1 A, whose ends are skewed to few vertices, as in citation
    graphs; and rows of the entries."""
    generator = torch.Generator().manual_seed(0)
    shape = (vertices * degree // 2, 2)
    ends = torch.rand(shape, generator=generator)
    ends[:, 0] **= 3
    edges = (ends * vertices).long().clamp(max=vertices - 1).to(device)
    adjacency = graphs.adjacency(edges, vertices)
    degrees = adjacency.indptr.diff()
    rows = torch.repeat_interleave(torch.arange(vertices, device=device), degrees)
    return adjacency.indptr, adjacency.indices, 1.0 / degrees[rows].float(), rows


def main() -> None:
    parser = arguments(__doc__)
    parser.add_argument("--vertices", type=int, default=20_000)
    parser.add_argument("--degree", type=int, default=16)
    parser.add_argument("--features", type=int, default=64)
    options = parser.parse_args()
    n, k = options.vertices, options.features
    indptr, indices, values, rows = normalised_graph(n, options.degree, options.device)
    columns = indices.long()
    csr = torch.sparse_csr_tensor(indptr, indices, values, (n, n), check_invariants=False)
    torch.manual_seed(1)
    x = torch.randn(n, k, device=options.device, requires_grad=True)
    w = torch.randn(k, k, device=options.device, requires_grad=True)

    def ours() -> torch.Tensor:
        return pytorch.spmm((indptr, indices, values), x @ w, shape=(n, n)).relu()

    def sparse_mm() -> torch.Tensor:
        return torch.sparse.mm(csr, x @ w).relu()

    def gather_scatter() -> torch.Tensor:
        messages = (x @ w)[columns] * values[:, None]
        return torch.zeros_like(x).index_add(0, rows, messages).relu()

    layers = {
        "sparserepro": ours,
        "torch.sparse.mm": sparse_mm,
        "gather and index_add, as PyG": gather_scatter,
    }
    # The derivative of |Y|^2 / 2, which is 0 at the kink of relu: there rounding decides whether
    # relu lets a derivative pass, and ways of equal worth would differ by all of it.
    upstream = ours().detach()

    def derivatives(layer) -> tuple[torch.Tensor, ...]:
        return torch.autograd.grad(layer(), (x, w), upstream)

    wanted = upstream, *derivatives(ours)
    for name, layer in layers.items():
        for one, other in zip((layer(), *derivatives(layer)), wanted, strict=True):
            error = (torch.linalg.norm(one - other) / torch.linalg.norm(other)).item()
            assert error < 1e-4, f"{name}: relative error {error}"

    synchronize = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    forward = side_by_side(layers, options.samples, synchronize)
    both = side_by_side(
        {name: lambda layer=layer: derivatives(layer) for name, layer in layers.items()},
        options.samples,
        synchronize,
    )
    sizes = {"vertices": n, "entries": int(indices.numel()), "features": k}
    print(", ".join(f"{size} {name}" for name, size in sizes.items()))
    show("forward", forward)
    show("forward and backward", both)
    record(options, "gnn_layer", sizes, {"forward": forward, "forward and backward": both})
    pytorch.clear_plans()


if __name__ == "__main__":
    main()
