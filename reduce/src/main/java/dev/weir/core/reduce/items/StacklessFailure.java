package dev.weir.core.reduce.items;

import java.io.IOException;
import java.util.Arrays;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.opensearch.ExceptionsHelper;
import org.opensearch.OpenSearchException;
import org.opensearch.common.xcontent.XContentType;
import org.opensearch.common.xcontent.json.JsonXContent;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.rest.RestStatus;
import org.opensearch.core.xcontent.DeprecationHandler;
import org.opensearch.core.xcontent.NamedXContentRegistry;
import org.opensearch.core.xcontent.ToXContent;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;

/**
 * The failure of one of many items, as the client will read it: its JSON in place of an exception
 * with stack trace and causes. It takes some hundred bytes, where an exception of a node takes
 * twenty thousand. Immutable; safe on any thread.
 */
public final class StacklessFailure extends OpenSearchException {
  private static final long serialVersionUID = 1L;

  private static final ToXContent.Params WITHOUT_CAUSE =
      new ToXContent.MapParams(Map.of("rest.exception.cause.skip", "true"));

  private final @Nullable String text;
  private final RestStatus status;
  private final byte[] json;
  private final StacklessFailure[] rootCauses;

  private StacklessFailure(
      @Nullable String text, RestStatus status, byte[] json, StacklessFailure[] rootCauses) {
    super("");
    this.text = text;
    this.status = status;
    this.json = json;
    this.rootCauses = rootCauses;
  }

  /** Returns a failure that is written like this one; the failure itself if it can't be written. */
  public static Exception of(Exception failure) {
    if (failure instanceof StacklessFailure) {
      return failure;
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
  public XContentBuilder toXContent(XContentBuilder builder, Params params) throws IOException {
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
