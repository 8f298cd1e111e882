package dev.weir.testkit.junit;

/** How much of the tests a run includes. */
public final class TestSuite {
  /** Whether tests that take long all run: {@code -Dweir.suite=all}. */
  public static final boolean IS_WHOLE = "all".equals(System.getProperty("weir.suite"));

  private TestSuite() {}
}
