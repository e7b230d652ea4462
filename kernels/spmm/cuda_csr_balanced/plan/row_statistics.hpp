// What the analysis of cuda_csr_balanced counts of the rows of a matrix.
#pragma once

namespace sparserepro {

/// Statistics of the rows: of the lengths of all of them, and of the columns of a sample.
struct RowStatistics {
  /// 0: no entries; b: (2^(b-2), 2^(b-1)] entries, the last but one also more; the last: longer
  /// than a segment.
  static constexpr int bins = 16;
  static constexpr int long_bin = bins - 1;
  /// Entries of a row of the sample that are looked at.
  static constexpr int sampled = 8;

  unsigned long long short_entries;  ///< in all but the long rows
  /// The same if 32 rows at a time were padded to their longest; the other with the long rows.
  unsigned long long padded_entries, padded_whole;
  unsigned long long bin_rows[bins];
  unsigned long long long_rows[bins];  ///< long ones by the bin that they would have
  unsigned long long segments;         ///< of the long rows
  unsigned long long longest;          ///< entries of the longest row
  /// Of the sample: entries in rows that are not long, and in those of them with the columns of the
  /// row before.
  unsigned long long looked_entries, same_entries;
  /// Of the first `sampled` entries of the rows: how many, and in the column of one of the first
  /// entries of the row before.
  unsigned long long sampled_entries, repeated_entries;
  /// Those within `near_columns` and within `middle_columns` of the diagonal, and the sum of their
  /// distances from it.
  struct Band {
    unsigned long long entries, distances;
  } near, middle;

  unsigned long long blocks;  ///< of the kernel that have added their counts

  /// What the lists have given away so far.
  struct Taken {
    unsigned long long rows[bins], segments;
  } taken;
};

/// Rows of a bin; of the last, the long ones.
inline unsigned long long rows_of_bin(const RowStatistics& statistics, int bin) {
  if (bin < RowStatistics::long_bin) {
    return statistics.bin_rows[bin];
  }
  unsigned long long rows = 0;
  for (const unsigned long long part : statistics.long_rows) {
    rows += part;
  }
  return rows;
}

}  // namespace sparserepro
