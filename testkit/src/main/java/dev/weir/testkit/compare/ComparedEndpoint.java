package dev.weir.testkit.compare;

import java.net.URI;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.opensearch.common.xcontent.XContentType;

/** One of the two endpoints during a run: its connection, and the variables that it was told. */
final class ComparedEndpoint implements AutoCloseable {
  /** Values shorter than this are not looked for in answers: they would be found everywhere. */
  private static final int SHORTEST_VALUE = 4;

  /** The methods in a message about a wrong one, which each node lists in an order of its own. */
  private static final Pattern ALLOWED = Pattern.compile("(?<=allowed: \\[)[A-Z, ]+(?=])");

  private final URI base;
  private final RawHttpClient http;
  private final Map<String, String> variables = new LinkedHashMap<>();

  /**
   * A side at the beginning of a scenario.
   *
   * @param base its endpoint
   * @param run what is this side's alone
   * @param shared what both sides have
   */
  ComparedEndpoint(URI base, String run, String shared) {
    this.base = base;
    this.http = new RawHttpClient(base);
    variables.put("run", run);
    variables.put("shared", shared);
  }

  /**
   * Sends a request.
   *
   * @param request the request
   * @param number new in this run, for its X-Opaque-Id
   */
  RawHttpResponse send(RequestTemplate request, int number) {
    String opaqueId = variables.get("run") + "." + number;
    byte[] bytes = request.render(variables, base.getAuthority(), opaqueId);
    RawHttpResponse answer = http.send(bytes, request.isHead());
    if (request.isRaw()) {
      // Whatever is left of it must not be taken for the next request.
      http.close();
    }
    return answer;
  }

  /** Remembers the values that a step captures; what is not there is not remembered. */
  void captureVariables(Map<String, PathPattern> captures, RawHttpResponse answer) {
    Optional<BodyTree> tree = parseBody(answer);
    if (tree.isPresent()) {
      captures.forEach((name, path) -> put(name, BodyTrees.find(tree.get(), path.steps())));
    }
  }

  private void put(String name, Optional<BodyTree> value) {
    if (value.isPresent() && value.get() instanceof BodyTree.ScalarNode leaf) {
      variables.put(name, leaf.unquoted());
    }
  }

  /** An answer's body as a tree, if it is in a format that has one. */
  static Optional<BodyTree> parseBody(RawHttpResponse answer) {
    Optional<XContentType> format = BodyFormats.forMediaType(answer.mediaType());
    return format.isPresent()
        ? BodyFormats.read(format.get(), answer.decodedBody())
        : PositionedJsonReader.read(answer.text());
  }

  private static String sorted(MatchResult methods) {
    return Stream.of(methods.group().split(", ")).sorted().collect(Collectors.joining(", "));
  }

  /**
   * A text with the values of this side's variables replaced by their names, and lists of methods
   * in order.
   */
  String generalise(String text) {
    String general = text;
    List<Map.Entry<String, String>> longestFirst = new ArrayList<>(variables.entrySet());
    longestFirst.sort((a, b) -> Integer.compare(b.getValue().length(), a.getValue().length()));
    for (Map.Entry<String, String> variable : longestFirst) {
      if (variable.getValue().length() >= SHORTEST_VALUE) {
        general = general.replace(variable.getValue(), "{" + variable.getKey() + "}");
      }
    }
    return ALLOWED.matcher(general).replaceAll(ComparedEndpoint::sorted);
  }

  @Override
  public void close() {
    http.close();
  }
}
