package dev.weir.testkit.junit;

import java.util.Random;

/**
 * The seed that all randomness of a test run comes from: the order of tests and the values that
 * tests make up.
 *
 * <p>A run without the system property {@value #PROPERTY} chooses one. {@link TestRunReporter}
 * prints it at the start and after each failure, so that the run can be repeated. Safe on any
 * thread.
 */
public final class TestSeed {
  /** The system property that sets the seed. */
  public static final String PROPERTY = "weir.test.seed";

  private static final long VALUE = chooseSeed();

  private TestSeed() {}

  private static long chooseSeed() {
    String given = System.getProperty(PROPERTY, "");
    if (given.isEmpty()) {
      return new Random().nextLong() >>> 16; // 48 bits: short enough to type
    }
    try {
      return Long.parseLong(given);
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "got [" + given + "] in -D" + PROPERTY + " (expected: a whole number)", e);
    }
  }

  /** The seed of this run. */
  public static long value() {
    return VALUE;
  }

  /**
   * A source of random numbers for a test. Each test gets its own, so that the order of tests does
   * not change what a test draws.
   */
  public static Random random(Class<?> test) {
    return new Random(mix(test.getName()));
  }

  /** The seed of the run and a name, mixed: names that differ give numbers that look unrelated. */
  static long mix(String name) {
    long mixed = VALUE;
    for (int i = 0; i < name.length(); i++) {
      mixed = (mixed ^ name.charAt(i)) * 0x9E3779B97F4A7C15L;
      mixed ^= mixed >>> 29;
    }
    return mixed;
  }
}
