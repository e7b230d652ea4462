"""The claims of the three original reports, and what the cells say of each."""

from sparserepro.paper.claims import spmm, transpose, triangles
from sparserepro.paper.claims.claim import Claim

CLAIMS: dict[str, tuple[Claim, ...]] = {
    r"Transposition \cite{incudini2020}": transpose.CLAIMS,
    r"SpMM \cite{capotombolo2023}": spmm.CLAIMS,
    r"Triangle counting \cite{antoniadis2019}": triangles.CLAIMS,
}
