package dev.weir.testkit.compare;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/** Compares the two answers to one request. */
final class AnswerDiff {
  private static final int MOST_DIFFERENCES = 12;
  private static final int CONTEXT = 40;

  /** CPU and memory of shard tasks, which nodes let through to the client with some requests. */
  private static final String RESOURCE_USAGE = "task_resource_usage";

  private static final String PRESENT = "(present)";
  private static final String CONTENT_LENGTH = "content-length";

  /** Headers that say something about the connection or the moment. */
  private static final Set<String> NEVER_COMPARED = Set.of("connection", "date", "keep-alive");

  private final Step step;
  private final Masks masks;
  private final Side referenceSide;
  private final Side candidateSide;
  private final List<Difference> found = new ArrayList<>();

  AnswerDiff(Step step, Side referenceSide, Side candidateSide) {
    this.step = step;
    this.masks = Masks.USUAL.plus(step.masks());
    this.referenceSide = referenceSide;
    this.candidateSide = candidateSide;
  }

  List<Difference> of(HttpAnswer reference, HttpAnswer candidate) {
    if (!reference.outcome().equals(candidate.outcome())) {
      found.add(new Difference("status", reference.outcome(), candidate.outcome()));
    }
    compareHeaders(reference, candidate);
    compareBodies(reference, candidate);
    return List.copyOf(found);
  }

  private void compareHeaders(HttpAnswer reference, HttpAnswer candidate) {
    Map<String, List<String>> left = headers(reference, referenceSide);
    Map<String, List<String>> right = headers(candidate, candidateSide);
    Set<String> names = new TreeSet<>(left.keySet());
    names.addAll(right.keySet());
    for (String name : names) {
      List<String> one = left.getOrDefault(name, List.of());
      List<String> other = right.getOrDefault(name, List.of());
      if (!one.equals(other)) {
        found.add(new Difference("header " + name, one.toString(), other.toString()));
      }
    }
  }

  private Map<String, List<String>> headers(HttpAnswer answer, Side side) {
    Map<String, List<String>> headers = new TreeMap<>();
    for (HttpAnswer.Header header : answer.headers()) {
      if (!NEVER_COMPARED.contains(header.name())
          && !step.ignoredHeaders().contains(header.name())) {
        headers
            .computeIfAbsent(header.name(), name -> new ArrayList<>())
            .add(headerValue(header, side));
      }
    }
    headers.values().forEach(values -> values.sort(null));
    return headers;
  }

  /**
   * What of a header is compared: of a body's length only that it is there, because it depends on
   * the digits of times (and was seen to fit when the body was read).
   */
  private String headerValue(HttpAnswer.Header header, Side side) {
    return switch (header.name()) {
      case CONTENT_LENGTH -> step.request().isHead() ? header.value() : PRESENT;
      case RESOURCE_USAGE -> PRESENT;
      case "allow" ->
          Stream.of(header.value().split(",")).map(String::strip).sorted().toList().toString();
      default -> side.generalised(header.value());
    };
  }

  private void compareBodies(HttpAnswer reference, HttpAnswer candidate) {
    if (BodyFormats.of(reference.mediaType()).isPresent()) {
      compareEncoded(reference, candidate);
    } else {
      compareText(
          referenceSide.generalised(reference.text()), candidateSide.generalised(candidate.text()));
    }
  }

  private void compareText(String reference, String candidate) {
    Optional<Tree> left = JsonReader.read(reference);
    Optional<Tree> right = JsonReader.read(candidate);
    if (left.isEmpty() || right.isEmpty()) {
      compareCharacters(reference, candidate);
      return;
    }
    List<Difference> inTrees =
        TreeDiff.of(masks.mask(left.get()), masks.mask(right.get()), MOST_DIFFERENCES);
    found.addAll(inTrees);
    if (inTrees.isEmpty() && step.masks().unordered().isEmpty()) {
      compareCharacters(
          masks.maskText(left.get(), reference), masks.maskText(right.get(), candidate));
    }
  }

  private void compareCharacters(String reference, String candidate) {
    int at = firstDifference(reference, candidate);
    if (at >= 0) {
      found.add(
          new Difference(
              "body text from character " + at, around(reference, at), around(candidate, at)));
    }
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

  private static String around(String text, int at) {
    int from = Math.max(0, at - CONTEXT);
    int to = Math.min(text.length(), at + CONTEXT);
    return (from > 0 ? "..." : "")
        + text.substring(from, to).replace("\n", "\\n").replace("\r", "\\r")
        + (to < text.length() ? "..." : "");
  }

  /**
   * Binary formats and YAML: as trees, and as bytes where the trees are the same before anything is
   * masked.
   */
  private void compareEncoded(HttpAnswer reference, HttpAnswer candidate) {
    Optional<Tree> left = Side.tree(reference);
    Optional<Tree> right = Side.tree(candidate);
    if (left.isEmpty() || right.isEmpty()) {
      compareBytes(reference.content(), candidate.content());
      return;
    }
    List<Difference> inTrees =
        TreeDiff.of(
            masks.mask(Trees.map(left.get(), referenceSide::generalised)),
            masks.mask(Trees.map(right.get(), candidateSide::generalised)),
            MOST_DIFFERENCES);
    found.addAll(inTrees);
    if (left.get().toString().equals(right.get().toString())) {
      compareBytes(reference.content(), candidate.content());
    }
  }

  private void compareBytes(byte[] reference, byte[] candidate) {
    int at = Arrays.mismatch(reference, candidate);
    if (at >= 0) {
      found.add(new Difference("body bytes from " + at, hex(reference, at), hex(candidate, at)));
    }
  }

  private static String hex(byte[] bytes, int at) {
    return HexFormat.ofDelimiter(" ").formatHex(bytes, at, Math.min(bytes.length, at + CONTEXT));
  }
}
