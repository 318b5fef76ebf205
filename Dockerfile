# The environment of the study. The project's folder is mounted at /study, so that its data and reports stay in it.
FROM python:3.11-slim

RUN apt-get update \
 && apt-get install --yes --no-install-recommends git \
 && rm -rf /var/lib/apt/lists/* \
 # The mounted folder belongs to the host's user.
 && git config --system --add safe.directory /study

# DVC asks for the user's name, and the host's user has none here.
ENV PATH=/opt/venv/bin:$PATH PYTHONPATH=/study PYTHONDONTWRITEBYTECODE=1 DO_NOT_TRACK=1 HOME=/tmp USER=study
WORKDIR /study
COPY requirements.lock models/wheels.txt /opt/
# PyTorch's CPU build; for GPUs build with --build-arg TORCH_INDEX=https://pypi.org/simple
ARG TORCH_INDEX=https://download.pytorch.org/whl/cpu
RUN python -m venv /opt/venv \
 && pip install --no-cache-dir --index-url "$TORCH_INDEX" "$(grep '^torch==' /opt/requirements.lock)" \
 && pip install --no-cache-dir --requirement /opt/requirements.lock \
 && pip install --no-cache-dir --no-deps --require-hashes --requirement /opt/wheels.txt
# Volumes take over these modes, whoever the container's user is.
RUN mkdir -p -m 777 /study/.dvc/cache /study/.plancheck
