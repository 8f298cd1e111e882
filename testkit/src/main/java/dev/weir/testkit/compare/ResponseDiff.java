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
final class ResponseDiff {
  private static final int MAX_DIFFERENCES = 12;
  private static final int CONTEXT = 40;

  /** CPU and memory of shard tasks, which nodes let through to the client with some requests. */
  private static final String RESOURCE_USAGE = "task_resource_usage";

  private static final String PRESENT_MARKER = "(present)";
  private static final String CONTENT_LENGTH = "content-length";

  /** Headers that say something about the connection or the moment. */
  private static final Set<String> NEVER_COMPARED = Set.of("connection", "date", "keep-alive");

  private final ComparisonStep step;
  private final ComparisonMasks masks;
  private final ComparedEndpoint referenceSide;
  private final ComparedEndpoint candidateSide;
  private final List<Difference> differences = new ArrayList<>();

  ResponseDiff(
      ComparisonStep step, ComparedEndpoint referenceSide, ComparedEndpoint candidateSide) {
    this.step = step;
    this.masks = ComparisonMasks.DEFAULT.merge(step.masks());
    this.referenceSide = referenceSide;
    this.candidateSide = candidateSide;
  }

  List<Difference> compare(RawHttpResponse reference, RawHttpResponse candidate) {
    if (!reference.outcome().equals(candidate.outcome())) {
      differences.add(new Difference("status", reference.outcome(), candidate.outcome()));
    }
    compareHeaders(reference, candidate);
    compareBodies(reference, candidate);
    return List.copyOf(differences);
  }

  private void compareHeaders(RawHttpResponse reference, RawHttpResponse candidate) {
    Map<String, List<String>> left = headers(reference, referenceSide);
    Map<String, List<String>> right = headers(candidate, candidateSide);
    Set<String> names = new TreeSet<>(left.keySet());
    names.addAll(right.keySet());
    for (String name : names) {
      List<String> one = left.getOrDefault(name, List.of());
      List<String> other = right.getOrDefault(name, List.of());
      if (!one.equals(other)) {
        differences.add(new Difference("header " + name, one.toString(), other.toString()));
      }
    }
  }

  private Map<String, List<String>> headers(RawHttpResponse answer, ComparedEndpoint side) {
    Map<String, List<String>> headers = new TreeMap<>();
    for (RawHttpResponse.Header header : answer.headers()) {
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
  private String headerValue(RawHttpResponse.Header header, ComparedEndpoint side) {
    return switch (header.name()) {
      case CONTENT_LENGTH -> step.request().isHead() ? header.value() : PRESENT_MARKER;
      case RESOURCE_USAGE -> PRESENT_MARKER;
      case "allow" ->
          Stream.of(header.value().split(",")).map(String::strip).sorted().toList().toString();
      default -> side.generalise(header.value());
    };
  }

  private void compareBodies(RawHttpResponse reference, RawHttpResponse candidate) {
    if (BodyFormats.forMediaType(reference.mediaType()).isPresent()) {
      compareEncoded(reference, candidate);
    } else {
      compareText(
          referenceSide.generalise(reference.text()), candidateSide.generalise(candidate.text()));
    }
  }

  private void compareText(String reference, String candidate) {
    Optional<BodyTree> left = PositionedJsonReader.read(reference);
    Optional<BodyTree> right = PositionedJsonReader.read(candidate);
    if (left.isEmpty() || right.isEmpty()) {
      compareCharacters(reference, candidate);
      return;
    }
    List<Difference> inTrees =
        BodyTreeDiff.of(masks.apply(left.get()), masks.apply(right.get()), MAX_DIFFERENCES);
    differences.addAll(inTrees);
    if (inTrees.isEmpty() && step.masks().unordered().isEmpty()) {
      compareCharacters(
          masks.applyToText(left.get(), reference), masks.applyToText(right.get(), candidate));
    }
  }

  private void compareCharacters(String reference, String candidate) {
    int at = firstDifference(reference, candidate);
    if (at >= 0) {
      differences.add(
          new Difference(
              "body text from character " + at, excerpt(reference, at), excerpt(candidate, at)));
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

  private static String excerpt(String text, int at) {
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
  private void compareEncoded(RawHttpResponse reference, RawHttpResponse candidate) {
    Optional<BodyTree> left = ComparedEndpoint.parseBody(reference);
    Optional<BodyTree> right = ComparedEndpoint.parseBody(candidate);
    if (left.isEmpty() || right.isEmpty()) {
      compareBytes(reference.decodedBody(), candidate.decodedBody());
      return;
    }
    List<Difference> inTrees =
        BodyTreeDiff.of(
            masks.apply(BodyTrees.map(left.get(), referenceSide::generalise)),
            masks.apply(BodyTrees.map(right.get(), candidateSide::generalise)),
            MAX_DIFFERENCES);
    differences.addAll(inTrees);
    if (left.get().toString().equals(right.get().toString())) {
      compareBytes(reference.decodedBody(), candidate.decodedBody());
    }
  }

  private void compareBytes(byte[] reference, byte[] candidate) {
    int at = Arrays.mismatch(reference, candidate);
    if (at >= 0) {
      differences.add(
          new Difference("body bytes from " + at, hex(reference, at), hex(candidate, at)));
    }
  }

  private static String hex(byte[] bytes, int at) {
    return HexFormat.ofDelimiter(" ").formatHex(bytes, at, Math.min(bytes.length, at + CONTEXT));
  }
}
