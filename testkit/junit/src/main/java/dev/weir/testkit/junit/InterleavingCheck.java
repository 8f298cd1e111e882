package dev.weir.testkit.junit;

import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.jetbrains.lincheck.util.LoggingLevel;

/**
 * Checks a class under many interleavings of two threads, with Lincheck's model checker: it makes
 * up scenarios of the methods annotated with {@code @Operation}, and runs each of them with many
 * thread switches, chosen systematically. A failure prints the scenario and the interleaving.
 *
 * <p>A check takes 2 to 25 seconds. The system property {@value #PROPERTY} multiplies the scenarios
 * and the interleavings, for a longer search.
 */
public final class InterleavingCheck {
  /** The system property for a longer search; 1 by default. */
  public static final String PROPERTY = "weir.test.interleavings";

  private static final int FACTOR = Integer.getInteger(PROPERTY, 1);
  private static final int SCENARIOS = 6;
  private static final int INTERLEAVINGS = 300;

  /**
   * Invariants are checked of larger classes: a run takes longer, and a fault needs a rarer
   * scenario. With 6 scenarios of 20 runs, a missing lock in the admission queue was not found.
   */
  private static final int SCENARIOS_OF_INVARIANTS = 10;

  private static final int INTERLEAVINGS_OF_INVARIANTS = 80;

  private InterleavingCheck() {}

  /**
   * Fails unless each result of the operations is one that some sequential order of them gives.
   *
   * @param operations a class with a public constructor without parameters; a new instance for each
   *     run
   */
  public static void assertLinearizable(Class<?> operations) {
    options(SCENARIOS, INTERLEAVINGS).check(operations);
  }

  /**
   * Fails if the method annotated with {@code @Validate} throws, which runs when all threads are
   * done, or if an operation does: for classes that promise invariants at rest, not a sequential
   * order.
   */
  public static void assertInvariants(Class<?> operations) {
    options(SCENARIOS_OF_INVARIANTS, INTERLEAVINGS_OF_INVARIANTS)
        .verifier(EpsilonVerifier.class)
        .check(operations);
  }

  private static ModelCheckingOptions options(int scenarios, int interleavings) {
    return new ModelCheckingOptions()
        .threads(2)
        .actorsPerThread(3)
        .actorsBefore(0)
        .actorsAfter(1)
        .iterations(scenarios * FACTOR)
        .invocationsPerIteration(interleavings * FACTOR)
        .minimizeFailedScenario(false)
        .logLevel(LoggingLevel.ERROR);
  }
}
