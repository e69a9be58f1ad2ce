cd /root/nom && ASSEMBLY_SOLVER_JIT=${JIT:-1} PYTHONPATH=/root/nom NUMBA_CACHE_DIR= /root/venv/bin/python -m benchmarks.noise "$@"
