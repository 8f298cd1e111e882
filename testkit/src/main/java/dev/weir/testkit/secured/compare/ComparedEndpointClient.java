package dev.weir.testkit.secured.compare;

import dev.weir.testkit.RestClient;
import dev.weir.testkit.RestReply;
import dev.weir.testkit.secured.Credentials;
import java.io.UncheckedIOException;
import java.util.EnumMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Sends requests of all identities to one endpoint, over shared connections. Fills in what is
 * different on each endpoint:
 *
 * <pre>
 *   $draft    an index for writes
 *   $stream   a data stream for writes
 *   $scroll   the scroll id of the newest response with one
 *   $pit      the id of the newest point in time
 * </pre>
 *
 * Confined to one thread.
 */
final class ComparedEndpointClient implements ComparedTarget {
  static final String DRAFT = "$draft";
  static final String STREAM = "$stream";
  static final String SCROLL = "$scroll";
  static final String PIT = "$pit";

  /** What names of data streams begin with. */
  static final String STREAM_PREFIX = "events-lane-";

  private static final String NONE = "bm9uZQ==";
  private static final Pattern SCROLL_ID = Pattern.compile("\"_scroll_id\" ?: ?\"([^\"]+)\"");
  private static final Pattern PIT_ID = Pattern.compile("\"pit_id\" ?: ?\"([^\"]+)\"");

  private final RestClient client;
  private final Map<ComparedIdentity, Map<String, String>> headers =
      new EnumMap<>(ComparedIdentity.class);
  private final Map<String, String> values = new LinkedHashMap<>();

  /**
   * Creates a client.
   *
   * @param client without credentials; the caller closes it
   * @param suffix of the names of this endpoint's index and data stream
   */
  ComparedEndpointClient(RestClient client, Credentials credentials, String suffix) {
    this.client = client;
    for (ComparedIdentity identity : ComparedIdentity.values()) {
      headers.put(identity, identity.headers(credentials));
    }
    values.put(DRAFT, "drafts-" + suffix);
    values.put(STREAM, STREAM_PREFIX + suffix);
    values.put(SCROLL, NONE);
    values.put(PIT, NONE);
  }

  /** Returns the value of a placeholder. */
  String value(String placeholder) {
    return values.getOrDefault(placeholder, "");
  }

  @Override
  public RestReply send(ComparedRequest request) {
    String path = fill(request.path());
    forgetBefore(request);
    Map<String, String> identity = headers.getOrDefault(request.identity(), Map.of());
    try {
      RestReply reply = client.send(request.method(), path, fill(request.body()), identity);
      keep(SCROLL, SCROLL_ID, reply.body());
      keep(PIT, PIT_ID, reply.body());
      return reply;
    } catch (UncheckedIOException e) {
      return new RestReply(request.method() + " " + path, 0, String.valueOf(e.getCause()));
    }
  }

  /** Forgets the id of an earlier scroll or point in time before a request for a new one. */
  private void forgetBefore(ComparedRequest request) {
    if (request.path().contains("?scroll=")) {
      values.put(SCROLL, NONE);
    } else if (request.path().contains("/point_in_time?")) {
      values.put(PIT, NONE);
    }
  }

  private void keep(String placeholder, Pattern pattern, String body) {
    Matcher found = pattern.matcher(body);
    if (found.find()) {
      values.put(placeholder, found.group(1));
    }
  }

  private String fill(String text) {
    String filled = text;
    for (Map.Entry<String, String> value : values.entrySet()) {
      filled = filled.replace(value.getKey(), value.getValue());
    }
    return filled;
  }

  @Override
  public String comparable(RestReply reply) {
    return ResponseNormalizer.normalize(
        reply.body().replace(value(DRAFT), DRAFT).replace(value(STREAM), STREAM));
  }
}
