package dev.weir.bench.simulation;

import java.util.random.RandomGenerator;

/**
 * What a shard request costs on a node of normal speed.
 *
 * @param meanMillis of a cheap one
 * @param sigma spread of the log-normal distribution; negative: exponential
 * @param heavyRatio how many are heavy
 * @param heavyFactor how much heavier these are
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

  /** The class of a request drawn at random: 0 cheap, 1 heavy. */
  int drawClass(RandomGenerator random) {
    return heavyRatio > 0 && random.nextDouble() < heavyRatio ? 1 : 0;
  }

  /** A cost in nanoseconds, drawn at random. */
  double drawNanos(int costClass, RandomGenerator random) {
    double mean = meanMillis * 1e6 * (costClass == 1 ? heavyFactor : 1);
    return sigma < 0
        ? mean * random.nextExponential()
        : mean * Math.exp(sigma * random.nextGaussian() - sigma * sigma / 2);
  }

  /** The mean over all classes. */
  double overallMeanMillis() {
    return meanMillis * (1 - heavyRatio + heavyRatio * heavyFactor);
  }
}
