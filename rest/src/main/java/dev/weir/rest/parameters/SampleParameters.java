package dev.weir.rest.parameters;

import dev.weir.model.SamplingSpec;
import org.jspecify.annotations.Nullable;
import org.opensearch.rest.RestRequest;

/** Parses the request parameters that request an estimate from a sample of shards. */
public final class SampleParameters {
  /** The format's name in error messages. */
  public static final String FORMAT = "sampled";

  private static final String FRACTION = "sample";
  private static final String SHARDS = "sample_shards";
  private static final String SEED = "sample_seed";
  private static final String CONFIDENCE = "sample_confidence";
  private static final double MIN_CONFIDENCE = 0.5;
  private static final double MAX_CONFIDENCE = 0.999;

  private SampleParameters() {}

  /**
   * Reads a request's sampling options and consumes the parameters; null for no estimate.
   *
   * @throws IllegalArgumentException for an invalid option
   */
  public static @Nullable SamplingSpec read(RestRequest request) {
    String fraction = request.param(FRACTION);
    String shards = request.param(SHARDS);
    String seed = request.param(SEED);
    String confidence = request.param(CONFIDENCE);
    if (fraction == null && shards == null) {
      if (seed != null || confidence != null) {
        throw invalidParameter(
            seed == null ? CONFIDENCE : SEED, "alone", "[sample] or [sample_shards] too");
      }
      return null;
    }
    if (fraction != null && shards != null) {
      throw invalidParameter(SHARDS, shards, "either it or [sample]");
    }
    return new SamplingSpec(
        fraction == null ? Double.NaN : parseFraction(fraction),
        shards == null ? 0 : parseCount(shards),
        seed == null ? null : parseSeed(seed),
        confidence == null ? SamplingSpec.DEFAULT_CONFIDENCE : parseConfidence(confidence));
  }

  private static double parseFraction(String text) {
    double fraction = parseNumber(FRACTION, text, "a fraction over 0 and up to 1, such as 0.1");
    if (!(fraction > 0 && fraction <= 1)) {
      throw invalidParameter(FRACTION, text, "a fraction over 0 and up to 1, such as 0.1");
    }
    return fraction;
  }

  private static double parseConfidence(String text) {
    double confidence = parseNumber(CONFIDENCE, text, "0.5 to 0.999, such as 0.95");
    if (!(confidence >= MIN_CONFIDENCE && confidence <= MAX_CONFIDENCE)) {
      throw invalidParameter(CONFIDENCE, text, "0.5 to 0.999, such as 0.95");
    }
    return confidence;
  }

  private static double parseNumber(String parameter, String text, String expected) {
    try {
      return Double.parseDouble(text);
    } catch (NumberFormatException unreadable) {
      throw invalidParameter(parameter, text, expected);
    }
  }

  private static int parseCount(String text) {
    try {
      int shards = Integer.parseInt(text);
      if (shards > 0) {
        return shards;
      }
    } catch (NumberFormatException unreadable) {
      // the error below reports the value
    }
    throw invalidParameter(SHARDS, text, "how many shards to ask, 1 or more");
  }

  private static long parseSeed(String text) {
    try {
      return Long.parseLong(text);
    } catch (NumberFormatException unreadable) {
      throw invalidParameter(SEED, text, "a whole number");
    }
  }

  private static IllegalArgumentException invalidParameter(
      String parameter, String got, String expected) {
    return new IllegalArgumentException(
        "got [" + got + "] for [" + parameter + "] (expected: " + expected + ")");
  }
}
