package dev.weir.config.policy;

/**
 * An amount of memory or data.
 *
 * @param bytes the amount
 */
public record ByteSize(long bytes) implements Comparable<ByteSize> {
  private static final long MEGABYTE = 1L << 20;
  private static final String[] UNITS = {"gb", "mb", "kb"};

  /**
   * Returns a part of this JVM's heap, in whole megabytes from one megabyte on.
   *
   * @param percent 0 to 100
   */
  public static ByteSize ofHeap(int percent) {
    long bytes = Runtime.getRuntime().maxMemory() / 100 * percent;
    return new ByteSize(bytes < MEGABYTE ? bytes : bytes / MEGABYTE * MEGABYTE);
  }

  @Override
  public int compareTo(ByteSize other) {
    return Long.compare(bytes, other.bytes);
  }

  /**
   * Returns the amount in YAML's notation, in the largest unit that is exact, such as {@code
   * 100mb}.
   */
  @Override
  public String toString() {
    long unit = 1L << 30;
    for (String name : UNITS) {
      if (bytes != 0 && bytes % unit == 0) {
        return bytes / unit + name;
      }
      unit >>= 10;
    }
    return bytes + "b";
  }
}
