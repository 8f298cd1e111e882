package dev.weir.bench.simulation;

import java.util.random.RandomGenerator;

/**
 * The cost of a shard request on a node of normal speed.
 *
 * @param meanMillis of a cheap request
 * @param sigma spread of the log-normal distribution; negative for an exponential one
 * @param heavyRatio the fraction of heavy requests
 * @param heavyFactor the cost of a heavy request relative to a cheap one
 */
record ServiceCosts(double meanMillis, double sigma, double heavyRatio, double heavyFactor) {
  static ServiceCosts lognormal(double meanMillis, double sigma) {
    return new ServiceCosts(meanMillis, sigma, 0, 1);
  }

  static ServiceCosts exponential(double meanMillis) {
    return new ServiceCosts(meanMillis, -1, 0, 1);
  }

  ServiceCosts withHeavy(double share, double times) {
    return new ServiceCosts(meanMillis, sigma, share, times);
  }

  /** Draws the cost class of a request: 0 cheap, 1 heavy. */
  int drawClass(RandomGenerator random) {
    return heavyRatio > 0 && random.nextDouble() < heavyRatio ? 1 : 0;
  }

  /** Draws a cost in nanoseconds. */
  double drawNanos(int costClass, RandomGenerator random) {
    double mean = meanNanos(costClass);
    return sigma < 0
        ? mean * random.nextExponential()
        : mean * Math.exp(sigma * random.nextGaussian() - sigma * sigma / 2);
  }

  /** Returns the mean cost of a class in nanoseconds. */
  double meanNanos(int costClass) {
    return meanMillis * 1e6 * (costClass == 1 ? heavyFactor : 1);
  }

  /** Returns the mean over all classes. */
  double overallMeanMillis() {
    return meanMillis * (1 - heavyRatio + heavyRatio * heavyFactor);
  }
}
