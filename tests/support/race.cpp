// With RACE a race, without it none: what the thread sanitizer has to tell apart
// (tests/sanitize_host).
#include <vector>

int main() {
  std::vector<int> a(1000), b(1000);
  int sum = 0;
#pragma omp parallel num_threads(4)
  {
#pragma omp for
    for (int i = 0; i < 1000; ++i) {
      a[i] = i;
    }
#pragma omp for
    for (int i = 0; i < 1000; ++i) {
      b[i] = a[999 - i];
    }
#ifdef RACE
    sum += b[0];
#else
#pragma omp critical
    sum += b[0];
#endif
  }
  return sum > 0 ? 0 : 1;
}
