from ctypes import c_float, c_int, c_longlong
import time
import pytest


def test_saxpy(opened):
    d = opened("saxpy.cu")
    n = 1 << 20
    for name, grid in (("saxpy", 8192), ("saxpy", 7), ("saxpy_direct", 8192)):
        x = d.array(c_float, range(n))
        y = d.array(c_float, [1] * n)
        ts = []
        for _ in range(5):
            t = time.perf_counter()
            d.launch(name, grid, 128, c_float(2), x, y, c_int(n))
            ts.append(time.perf_counter() - t)
        print(name, grid, min(ts) * 1e3, "ms")
        assert d.read(y, c_float, n) == [2 * 5 * i + 1 for i in range(n)]
        d.free(x)
        d.free(y)
    ts = []
    for _ in range(300):
        t = time.perf_counter()
        d.launch("saxpy", 1, 1, c_float(2), 0, 0, c_int(0))
        ts.append(time.perf_counter() - t)
    print("empty", sorted(ts)[150] * 1e6, "us")


@pytest.mark.parametrize("threads", [0, 1, 2, 31, 32, 33, 40, 64, 95, 96])
def test_counts(opened, threads):
    d = opened("generic.cu")
    out = d.array(c_int, [0] * 98)
    d.launch("counts", 1, 128, out, c_int(threads), c_int(3))
    n = threads or 96
    v = [i + 1 for i in range(n)]
    for _ in range(3):
        v = [v[i] + v[(i + 1) % n] for i in range(n)]
    got = d.read(out, c_int, 98)
    assert got[:n] == v
    assert got[n:96] == [0] * (96 - n)
    assert got[96:] == [3, 10]
