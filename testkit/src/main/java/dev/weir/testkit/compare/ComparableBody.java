package dev.weir.testkit.compare;

import java.util.Arrays;
import java.util.HexFormat;
import java.util.Optional;

/** What of a body is compared: its values, and how they are written. */
final class ComparableBody {
  private static final int CONTEXT = 40;

  /** Without what is masked; empty if the body is neither JSON nor one of the other formats. */
  private final Optional<BodyTree> tree;

  /** With the names of the endpoint's variables in place of their values. */
  private final String text;

  /** The text without what is masked; empty where the order of an array is not compared. */
  private final Optional<String> maskedText;

  /** The values with nothing masked, if the body is in one of the other formats. */
  private final Optional<String> encodedValues;

  private final byte[] bytes;

  private ComparableBody(
      Optional<BodyTree> tree,
      String text,
      Optional<String> maskedText,
      Optional<String> encodedValues,
      byte[] bytes) {
    this.tree = tree;
    this.text = text;
    this.maskedText = maskedText;
    this.encodedValues = encodedValues;
    this.bytes = bytes;
  }

  static ComparableBody of(
      ComparisonMasks masks, ComparedEndpoint endpoint, RawHttpResponse response) {
    String text = endpoint.generalise(response.text());
    byte[] bytes = response.decodedBody();
    if (BodyFormats.forMediaType(response.mediaType()).isPresent()) {
      Optional<BodyTree> values = ComparedEndpoint.parseBody(response);
      return new ComparableBody(
          values.map(each -> masks.apply(BodyTrees.map(each, endpoint::generalise))),
          text,
          Optional.empty(),
          Optional.of(values.map(BodyTree::toString).orElse("")),
          bytes);
    }
    Optional<BodyTree> values = PositionedJsonReader.read(text);
    return new ComparableBody(
        values.map(masks::apply),
        text,
        masks.unordered().isEmpty()
            ? values.map(each -> masks.applyToText(each, text))
            : Optional.empty(),
        Optional.empty(),
        bytes);
  }

  /** Returns the values; empty if the body has no format. */
  Optional<BodyTree> tree() {
    return tree;
  }

  /** Returns whether the body has these values. */
  boolean hasValues(BodyTree values) {
    return tree.isPresent() && tree.get().toString().equals(values.toString());
  }

  /**
   * Returns where a candidate with the same values writes them in another way; for bodies without a
   * format, where it differs at all.
   */
  Optional<Difference> differenceInWriting(ComparableBody candidate) {
    if (tree.isEmpty() || candidate.tree.isEmpty()) {
      return encodedValues.isPresent()
          ? differenceInBytes(candidate)
          : differenceInText(text, candidate.text);
    }
    if (encodedValues.isPresent()) {
      // In bytes only where nothing that is masked differs.
      return encodedValues.equals(candidate.encodedValues)
          ? differenceInBytes(candidate)
          : Optional.empty();
    }
    return maskedText.flatMap(
        own -> candidate.maskedText.flatMap(other -> differenceInText(own, other)));
  }

  private Optional<Difference> differenceInBytes(ComparableBody candidate) {
    int at = Arrays.mismatch(bytes, candidate.bytes);
    return at < 0
        ? Optional.empty()
        : Optional.of(
            new Difference("body bytes from " + at, hex(bytes, at), hex(candidate.bytes, at)));
  }

  private static String hex(byte[] bytes, int at) {
    return HexFormat.ofDelimiter(" ").formatHex(bytes, at, Math.min(bytes.length, at + CONTEXT));
  }

  private static Optional<Difference> differenceInText(String reference, String candidate) {
    int at = firstDifference(reference, candidate);
    return at < 0
        ? Optional.empty()
        : Optional.of(
            new Difference(
                "body text from character " + at, excerpt(reference, at), excerpt(candidate, at)));
  }

  private static int firstDifference(String one, String other) {
    int common = Math.min(one.length(), other.length());
    for (int i = 0; i < common; i++) {
      if (one.charAt(i) != other.charAt(i)) {
        return i;
      }
    }
    return one.length() == other.length() ? -1 : common;
  }

  private static String excerpt(String text, int at) {
    int from = Math.max(0, at - CONTEXT);
    int to = Math.min(text.length(), at + CONTEXT);
    return (from > 0 ? "..." : "")
        + text.substring(from, to).replace("\n", "\\n").replace("\r", "\\r")
        + (to < text.length() ? "..." : "");
  }
}
