package dev.weir.bench.simulation;

import java.util.random.RandomGenerator;

/**
 * What a shard request costs on a node of normal speed.
 *
 * @param meanMillis of a cheap one
 * @param sigma spread of the log-normal distribution; negative: exponential
 * @param heavyShare how many are heavy
 * @param heavyTimes how much heavier these are
 */
record Costs(double meanMillis, double sigma, double heavyShare, double heavyTimes) {
  static Costs lognormal(double meanMillis, double sigma) {
    return new Costs(meanMillis, sigma, 0, 1);
  }

  static Costs exponential(double meanMillis) {
    return new Costs(meanMillis, -1, 0, 1);
  }

  Costs withHeavy(double share, double times) {
    return new Costs(meanMillis, sigma, share, times);
  }

  /** The class of a request drawn at random: 0 cheap, 1 heavy. */
  int drawClass(RandomGenerator random) {
    return heavyShare > 0 && random.nextDouble() < heavyShare ? 1 : 0;
  }

  /** A cost in nanoseconds, drawn at random. */
  double draw(int costClass, RandomGenerator random) {
    double mean = meanMillis * 1e6 * (costClass == 1 ? heavyTimes : 1);
    return sigma < 0
        ? mean * random.nextExponential()
        : mean * Math.exp(sigma * random.nextGaussian() - sigma * sigma / 2);
  }

  /** The mean over all classes. */
  double overallMillis() {
    return meanMillis * (1 - heavyShare + heavyShare * heavyTimes);
  }
}
