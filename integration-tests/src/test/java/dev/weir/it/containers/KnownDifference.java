package dev.weir.it.containers;

import dev.weir.testkit.compare.ComparisonReport.Finding;
import dev.weir.testkit.compare.Difference;
import java.util.regex.Pattern;

/** A kind of difference that docs/versions.md lists, in one place of a response. */
enum KnownDifference {
  /** With {@code ?pretty} older nodes reformat the source of a document. */
  PRETTY_SOURCE {
    @Override
    boolean explains(Finding finding, Difference difference) {
      return finding.request().contains("pretty")
          && (difference.location().startsWith("body text")
              || difference.location().contains("_source"));
    }
  },

  /** Older nodes leave out the cause of a failed search. */
  CAUSE {
    @Override
    boolean explains(Finding finding, Difference difference) {
      return difference.location().endsWith(".caused_by") && difference.reference().equals(ABSENT);
    }
  },

  /** Another version of Jackson names and places errors of JSON otherwise. */
  JSON_ERROR {
    @Override
    boolean explains(Finding finding, Difference difference) {
      return JSON.matcher(difference.reference()).find()
          || JSON.matcher(difference.candidate()).find();
    }
  },

  /** A warning of the gateway's own parser names the gateway's version. */
  WARNING_AGENT {
    @Override
    boolean explains(Finding finding, Difference difference) {
      return difference.location().equals("header warning")
          && AGENT
              .matcher(difference.reference())
              .replaceAll("")
              .equals(AGENT.matcher(difference.candidate()).replaceAll(""));
    }
  },

  /** Older nodes escape the characters that take two UTF-16 units, such as emoji. */
  ESCAPED_CHARACTER {
    @Override
    boolean explains(Finding finding, Difference difference) {
      String reference = difference.reference();
      return SURROGATES
          .matcher(reference)
          .replaceAll(pair -> unescape(pair.group(1)) + unescape(pair.group(2)))
          .equals(difference.candidate());
    }
  },

  /** Older nodes do not profile the fetch phase. */
  FETCH_PROFILE {
    @Override
    boolean explains(Finding finding, Difference difference) {
      return difference.location().contains("profile.")
          && difference.location().contains("fetch")
          && difference.reference().equals(ABSENT);
    }
  };

  private static final String ABSENT = "(absent)";
  private static final Pattern JSON =
      Pattern.compile(
          "\\[Source: |\"(?:json_e_o_f|json_parse|input_coercion|stream_read)_exception\"");
  private static final Pattern AGENT = Pattern.compile("OpenSearch-\\S+");

  private static final Pattern SURROGATES =
      Pattern.compile("\\\\u(D[89AB]\\p{XDigit}{2})\\\\u(D[C-F]\\p{XDigit}{2})");
  private static final int HEXADECIMAL = 16;

  private static String unescape(String digits) {
    return Character.toString((char) Integer.parseInt(digits, HEXADECIMAL));
  }

  /** Returns whether a difference is of this kind. */
  abstract boolean explains(Finding finding, Difference difference);
}
