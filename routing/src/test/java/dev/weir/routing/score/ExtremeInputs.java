package dev.weir.routing.score;

import java.util.Random;

/** Random inputs for formulas, including extreme ones. */
final class ExtremeInputs {
  private static final double[] EDGES = {
    0, 1e-9, 0.5, 1, 1290, 1e6, 1e9, Integer.MAX_VALUE, Long.MAX_VALUE, 1e300, Double.MAX_VALUE
  };

  private ExtremeInputs() {}

  /** A number from 0 up, often a boundary value, sometimes infinite. */
  static double any(Random random) {
    return switch (random.nextInt(8)) {
      case 0 -> EDGES[random.nextInt(EDGES.length)];
      case 1 -> random.nextInt(50) == 0 ? Double.POSITIVE_INFINITY : 0;
      default -> Math.exp(random.nextDouble() * 30);
    };
  }

  static double[] of(Random random, int count, int round) {
    double[] inputs = new double[count];
    for (int i = 0; i < count; i++) {
      inputs[i] = round % 3 == 0 ? any(random) : Math.exp(random.nextDouble() * 22);
    }
    return inputs;
  }

  /** The inputs with one of them increased. */
  static double[] raised(double[] inputs, Random random) {
    double[] raised = inputs.clone();
    int i = random.nextInt(raised.length);
    raised[i] = raised[i] * (1 + random.nextDouble()) + random.nextInt(3);
    return raised;
  }
}
