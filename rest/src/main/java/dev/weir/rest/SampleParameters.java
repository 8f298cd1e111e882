package dev.weir.rest;

import dev.weir.model.SampleWish;
import org.jspecify.annotations.Nullable;
import org.opensearch.rest.RestRequest;

/** The parameters by which a client asks for an estimate from a part of a search's shards. */
final class SampleParameters {
  /** What such an answer is called. */
  static final String FORM = "sampled";

  private static final String FRACTION = "sample";
  private static final String SHARDS = "sample_shards";
  private static final String SEED = "sample_seed";
  private static final String CONFIDENCE = "sample_confidence";
  private static final double LEAST_CONFIDENCE = 0.5;
  private static final double MOST_CONFIDENCE = 0.999;

  private SampleParameters() {}

  /**
   * What a request asks for, whose parameters are consumed; null where it asks for no estimate.
   *
   * @throws IllegalArgumentException where it asks for none that makes sense
   */
  static @Nullable SampleWish read(RestRequest request) {
    String fraction = request.param(FRACTION);
    String shards = request.param(SHARDS);
    String seed = request.param(SEED);
    String confidence = request.param(CONFIDENCE);
    if (fraction == null && shards == null) {
      if (seed != null || confidence != null) {
        throw wrong(seed == null ? CONFIDENCE : SEED, "alone", "[sample] or [sample_shards] too");
      }
      return null;
    }
    if (fraction != null && shards != null) {
      throw wrong(SHARDS, shards, "either it or [sample]");
    }
    return new SampleWish(
        fraction == null ? Double.NaN : fraction(fraction),
        shards == null ? 0 : count(shards),
        seed == null ? null : seed(seed),
        confidence == null ? SampleWish.USUAL_CONFIDENCE : confidence(confidence));
  }

  private static double fraction(String text) {
    double fraction = number(FRACTION, text, "a fraction over 0 and up to 1, such as 0.1");
    if (!(fraction > 0 && fraction <= 1)) {
      throw wrong(FRACTION, text, "a fraction over 0 and up to 1, such as 0.1");
    }
    return fraction;
  }

  private static double confidence(String text) {
    double confidence = number(CONFIDENCE, text, "0.5 to 0.999, such as 0.95");
    if (!(confidence >= LEAST_CONFIDENCE && confidence <= MOST_CONFIDENCE)) {
      throw wrong(CONFIDENCE, text, "0.5 to 0.999, such as 0.95");
    }
    return confidence;
  }

  private static double number(String parameter, String text, String expected) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException unreadable) {
      throw wrong(parameter, text, expected);
    }
  }

  private static int count(String text) {
    try {
      int shards = Integer.parseInt(text);
      if (shards > 0) {
        return shards;
      }
    } catch (NumberFormatException unreadable) {
      // said below
    }
    throw wrong(SHARDS, text, "how many shards to ask, 1 or more");
  }

  private static long seed(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException unreadable) {
      throw wrong(SEED, text, "a whole number");
    }
  }

  private static IllegalArgumentException wrong(String parameter, String got, String expected) {
    return new IllegalArgumentException(
        "got [" + got + "] for [" + parameter + "] (expected: " + expected + ")");
  }
}
