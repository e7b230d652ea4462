# Debian 12 with all that ./bootstrap installs. It holds no drivers: a build is for the processor that
# it runs on, and the first run makes one.
#   docker build -t sparserepro .
#   docker run --rm -v "$PWD/out:/out" sparserepro snakemake --cores 4 report --directory /out \
#     --configfile config/smoke.yaml --config cuda=false
FROM debian:12-slim
LABEL org.opencontainers.image.title="sparserepro" \
      org.opencontainers.image.licenses="BSD-3-Clause"
ENV LC_ALL=C.UTF-8
WORKDIR /opt/sparserepro
# The pins alone first, so that a change of the sources installs nothing again.
COPY bootstrap requirements.txt requirements-notebook.txt ./
RUN ./bootstrap --notebook true && rm -rf /var/lib/apt/lists/* "$HOME/.cache"
COPY . .
RUN ./bootstrap --notebook snakemake --version
ENTRYPOINT ["/opt/sparserepro/bootstrap"]
