package dev.weir.core.reduce.items;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.action.RoutingMissingException;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.index.IndexNotFoundException;
import org.opensearch.index.engine.VersionConflictEngineException;
import org.opensearch.indices.IndexClosedException;

/**
 * The failure of one of many items, as the client will read it: its type, text and details, or its
 * JSON, in place of an exception with stack trace and causes. It takes some hundred bytes, where an
 * exception of a node takes twenty thousand. Immutable; safe on any thread.
 */
public final class StacklessFailure extends OpenSearchException {
  /** With fewer failures of one request, all their stack traces together are small. */
  public static final int MIN_FAILURES = 16;

  private static final long serialVersionUID = 1L;

  /** Exceptions that OpenSearch writes as type, reason and details alone if they have no cause. */
  private static final Set<Class<?>> PLAIN =
      Set.of(
          IndexNotFoundException.class,
          IndexClosedException.class,
          RoutingMissingException.class,
          VersionConflictEngineException.class);

  private static final ToXContent.Params WITHOUT_CAUSE =
      new ToXContent.MapParams(Map.of("rest.exception.cause.skip", "true"));

  private final @Nullable String text;
  private final RestStatus status;
  private final String name;
  private final byte @Nullable [] json;
  private final StacklessFailure[] rootCauses;

  private StacklessFailure(
      @Nullable String text, RestStatus status, byte[] json, StacklessFailure[] rootCauses) {
    super("");
    this.text = text;
    this.status = status;
    this.name = "";
    this.json = json;
    this.rootCauses = rootCauses;
  }

  private StacklessFailure(OpenSearchException plain) {
    super("");
    this.text = plain.getMessage();
    this.status = plain.status();
    this.name = getExceptionName(plain);
    this.json = null;
    this.rootCauses = new StacklessFailure[] {this};
    plain.getMetadataKeys().forEach(key -> addMetadata(key, plain.getMetadata(key)));
    plain.getHeaderKeys().forEach(key -> addHeader(key, plain.getHeader(key)));
  }

  /** Copies a plain failure for another index. */
  private StacklessFailure(StacklessFailure plain, String index, String other) {
    super("");
    this.text =
        plain.text == null ? null : plain.text.replace("[" + index + "]", "[" + other + "]");
    this.status = plain.status;
    this.name = plain.name;
    this.json = null;
    this.rootCauses = new StacklessFailure[] {this};
    plain
        .getMetadataKeys()
        .forEach(key ->
            addMetadata(
                key,
                plain.getMetadata(key).stream()
                    .map(value -> value.equals(index) ? other : value)
                    .toList()));
  }

  /**
   * Returns the same failure of another index, without the cost of a new exception; null if this
   * failure may say more than the name of its index.
   */
  public @Nullable StacklessFailure ofIndex(String index, String other) {
    return json == null ? new StacklessFailure(this, index, other) : null;
  }

  /**
   * Returns a failure that a node has already written.
   *
   * @param json the object that clients get as the item's error
   */
  public static StacklessFailure ofJson(RestStatus status, byte[] json) {
    return new StacklessFailure(null, status, json, new StacklessFailure[0]);
  }

  /** Returns a failure that is written like this one; the failure itself if it can't be written. */
  public static Exception of(Exception failure) {
    if (failure instanceof StacklessFailure) {
      return failure;
    }
    if (failure instanceof OpenSearchException known
        && known.getCause() == null
        && known.getSuppressed().length == 0
        && PLAIN.contains(known.getClass())) {
      return new StacklessFailure(known);
    }
    try {
      byte[] json = json(failure, ToXContent.EMPTY_PARAMS);
      OpenSearchException[] roots = OpenSearchException.guessRootCauses(failure);
      StacklessFailure[] causes = new StacklessFailure[roots.length];
      for (int i = 0; i < roots.length; i++) {
        byte[] cause = json(roots[i], WITHOUT_CAUSE);
        causes[i] =
            new StacklessFailure(
                null,
                roots[i].status(),
                Arrays.equals(cause, json) ? json : cause,
                new StacklessFailure[0]);
      }
      return new StacklessFailure(
          failure.getMessage(), ExceptionsHelper.status(failure), json, causes);
    } catch (IOException | RuntimeException unwritable) {
      return failure;
    }
  }

  private static byte[] json(Exception failure, ToXContent.Params params) throws IOException {
    try (XContentBuilder builder = JsonXContent.contentBuilder()) {
      builder.startObject();
      if (failure instanceof OpenSearchException known) {
        known.toXContent(builder, params);
      } else {
        OpenSearchException.generateThrowableXContent(builder, params, failure);
      }
      builder.endObject();
      return BytesReference.toBytes(BytesReference.bytes(builder));
    }
  }

  @Override
  public synchronized Throwable fillInStackTrace() {
    return this;
  }

  @Override
  public @Nullable String getMessage() {
    return text;
  }

  @Override
  public RestStatus status() {
    return status;
  }

  @Override
  public OpenSearchException[] guessRootCauses() {
    return rootCauses.clone();
  }

  @Override
  protected String getExceptionName() {
    return name;
  }

  @Override
  public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
    if (json == null) {
      return super.toXContent(builder, params);
    }
    try (XContentParser parser =
        XContentType.JSON
            .xContent()
            .createParser(
                NamedXContentRegistry.EMPTY, DeprecationHandler.IGNORE_DEPRECATIONS, json)) {
      parser.nextToken(); // the start of the object, which the caller has written
      while (parser.nextToken() != XContentParser.Token.END_OBJECT) {
        builder.copyCurrentStructure(parser);
      }
    }
    return builder;
  }
}
