package dev.weir.client.settings;

import java.util.regex.Pattern;

/**
 * How full a disk may be.
 *
 * @param maxUsedShare 0 to 1; infinite if the free bytes decide
 * @param minFreeBytes -1 if the share decides
 */
public record DiskWatermark(double maxUsedShare, long minFreeBytes) {
  private static final Pattern PERCENT = Pattern.compile("\\d+(?:\\.\\d+)?%");
  private static final Pattern SHARE = Pattern.compile("0|1|[01]?\\.\\d+");
  private static final double WHOLE = 100;

  /**
   * Parses a watermark.
   *
   * @param text {@code 85%} or {@code 0.85} of the disk used, or {@code 20gb} free. No disk is over
   *     any other text
   */
  public static DiskWatermark parse(String text) {
    String watermark = text.strip();
    if (PERCENT.matcher(watermark).matches()) {
      String number = watermark.substring(0, watermark.length() - 1);
      return new DiskWatermark(Double.parseDouble(number) / WHOLE, -1);
    }
    if (SHARE.matcher(watermark).matches()) {
      return new DiskWatermark(Double.parseDouble(watermark), -1);
    }
    return new DiskWatermark(Double.POSITIVE_INFINITY, ByteSizes.parse(watermark));
  }

  /** Returns whether a disk is over the watermark. */
  public boolean isExceeded(long totalBytes, long availableBytes) {
    double used = totalBytes <= 0 ? 0 : (double) (totalBytes - availableBytes) / totalBytes;
    return used > maxUsedShare || availableBytes < minFreeBytes;
  }
}
