package dev.weir.model;

import java.util.Locale;

/** How values are written for people. */
public final class Shown {
  private static final double THOUSAND = 1e3;

  private Shown() {}

  /** A constant in small letters with hyphens. */
  public static String word(Enum<?> constant) {
    return constant.name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /** A number with at most three digits after the point. */
  public static double rounded(double value) {
    return Math.round(value * THOUSAND) / THOUSAND;
  }
}
