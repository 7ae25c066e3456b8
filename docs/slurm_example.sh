#!/bin/sh
# All against all on a SLURM cluster: this job holds the dask scheduler and the command; dask-jobqueue asks for the rest.
# Submit with: sbatch slurm_example.sh, from the folder that holds it, slurm_workers.py and the templates: SLURM runs a
# copy of this script that lies elsewhere, but in the folder it was submitted from.
#SBATCH --job-name=bertillon
#SBATCH --cpus-per-task=4
#SBATCH --mem=16G
#SBATCH --time=24:00:00
set -eu

ADDRESS_FILE="$PWD/scheduler-address.txt"
rm -f "$ADDRESS_FILE"
python slurm_workers.py --jobs 16 --cores 32 --processes 4 --memory 64GB \
    --write "$ADDRESS_FILE" &
WORKERS=$!
trap 'kill "$WORKERS" 2>/dev/null || true' EXIT

while [ ! -s "$ADDRESS_FILE" ]; do
    kill -0 "$WORKERS" # ends this script where the workers could not be asked for
    sleep 1
done

bertillon verify embeddings.npy --labels owners.csv --matcher cosine \
    --scheduler "$(cat "$ADDRESS_FILE")" --checkpoint kept --json answers.json
