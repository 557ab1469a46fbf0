/* The algorithms of some kernels of HeCBench, as users write them with OpenMP; static.py --suite compares with theirs.
 *
 * Nobody runs these.
 */
#include <float.h>
#include <math.h>

struct place {
    float latitude, longitude;
};

void distances(int n, float latitude, float longitude, const struct place *restrict places, float *restrict result)
{
    #pragma omp target teams distribute parallel for map(to: places[0:n]) map(from: result[0:n])
    for (int i = 0; i < n; i++) {
        float north = latitude - places[i].latitude, east = longitude - places[i].longitude;
        result[i] = sqrtf(north * north + east * east);
    }
}

void magnitudes(int n, const float *restrict real, const float *restrict imaginary, float *restrict result)
{
    #pragma omp target teams distribute parallel for map(to: real[0:n], imaginary[0:n]) map(from: result[0:n])
    for (int i = 0; i < n; i++)
        result[i] = real[i] * real[i] + imaginary[i] * imaginary[i];
}

/* Forces of short range: what n2 particles do to each of n1, less a polynomial. */
void forces(int n1, int n2, const float *restrict x, const float *restrict y, const float *restrict z,
            const float *restrict mass, float *restrict vx, float *restrict vy, float *restrict vz, float largest,
            float softening, float factor)
{
    #pragma omp target teams distribute parallel for map(to: x[0:n2], y[0:n2], z[0:n2], mass[0:n2]) \
        map(tofrom: vx[0:n1], vy[0:n1], vz[0:n1])
    for (int i = 0; i < n1; i++) {
        float fx = 0, fy = 0, fz = 0, x0 = x[i], y0 = y[i], z0 = z[i];
        for (int j = 0; j < n2; j++) {
            float dx = x[j] - x0, dy = y[j] - y0, dz = z[j] - z0;
            float r2 = dx * dx + dy * dy + dz * dz;
            float m = mass[j] * (r2 < largest);
            float f = r2 + softening;
            float grid = 0.27f + r2 * (-0.075f + r2 * (0.011f + r2 * (-1e-3f + r2 * (6e-5f + r2 * -1e-6f))));
            f = m * (1.0f / (f * sqrtf(f)) - grid);
            fx += f * dx;
            fy += f * dy;
            fz += f * dz;
        }
        vx[i] += fx * factor;
        vy[i] += fy * factor;
        vz[i] += fz * factor;
    }
}

void swap_features(int points, int features, const float *from, float *to)
{
    #pragma omp target teams distribute parallel for map(to: from[0:points*features]) map(from: to[0:points*features])
    for (int p = 0; p < points; p++)
        for (int f = 0; f < features; f++)
            to[f * points + p] = from[p * features + f];
}

void membership(int points, int clusters, int features, const float *restrict feature, const float *restrict centre,
                int *restrict member)
{
    #pragma omp target teams distribute parallel for map(to: feature[0:points*features], centre[0:clusters*features]) \
        map(from: member[0:points])
    for (int p = 0; p < points; p++) {
        float least = FLT_MAX;
        int nearest = 0;
        for (int c = 0; c < clusters; c++) {
            float distance = 0;
            for (int f = 0; f < features; f++) {
                float d = feature[f * points + p] - centre[c * features + f];
                distance += d * d;
            }
            if (distance < least) {
                least = distance;
                nearest = c;
            }
        }
        member[p] = nearest;
    }
}
