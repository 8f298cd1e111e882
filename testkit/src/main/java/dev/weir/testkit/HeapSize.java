package dev.weir.testkit;

import java.util.Locale;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Heap sizes as the JVM's options write them. */
final class HeapSize {
  private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,5})([mg])");
  private static final int SMALLEST_MEGABYTES = 128;

  private HeapSize() {}

  /** A heap size in megabytes, of at least what a node needs to start. */
  static int megabytes(String heap) {
    Matcher matcher = SIZE.matcher(heap.toLowerCase(Locale.ROOT));
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "got a heap of [" + heap + "] (expected: such as 512m or 1g)");
    }
    int megabytes = Integer.parseInt(matcher.group(1)) * (matcher.group(2).equals("g") ? 1024 : 1);
    if (megabytes < SMALLEST_MEGABYTES) {
      throw new IllegalArgumentException(
          "got a heap of [" + heap + "] (expected: at least " + SMALLEST_MEGABYTES + "m)");
    }
    return megabytes;
  }
}
