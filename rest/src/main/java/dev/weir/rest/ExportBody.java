package dev.weir.rest;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.opensearch.common.CheckedConsumer;
import org.opensearch.common.xcontent.LoggingDeprecationHandler;
import org.opensearch.core.common.bytes.BytesReference;
import org.opensearch.core.xcontent.XContentBuilder;
import org.opensearch.core.xcontent.XContentParser;
import org.opensearch.core.xcontent.XContentParser.Token;
import org.opensearch.rest.RestRequest;

/**
 * The body of an export request: a search, and beside its members the cursor from which the export
 * continues. A body has room for the cursor of any number of shards, unlike a header. Used by one
 * thread.
 *
 * @param request has the body
 * @param cursor null for none
 */
record ExportBody(RestRequest request, @Nullable String cursor) {
  private static final String CURSOR = "cursor";

  /** Reads the cursor; of a body without one, everything is left to the search's parser. */
  static ExportBody read(RestRequest request) throws IOException {
    if (!request.hasContentOrSourceParam()) {
      return new ExportBody(request, null);
    }
    try (XContentParser parser = request.contentOrSourceParamParser()) {
      return new ExportBody(request, findCursor(parser));
    }
  }

  private static @Nullable String findCursor(XContentParser parser) {
    try {
      if (parser.nextToken() != Token.START_OBJECT) {
        return null;
      }
      while (parser.nextToken() == Token.FIELD_NAME) {
        boolean isCursor = parser.currentName().equals(CURSOR);
        Token value = parser.nextToken();
        if (isCursor && value == Token.VALUE_STRING) {
          return parser.text();
        }
        parser.skipChildren();
      }
      return null;
    } catch (IOException | RuntimeException malformed) {
      return null; // the search's parser reports it
    }
  }

  /** Passes a parser of the search to a consumer; null without a body. */
  void parseSearch(CheckedConsumer<XContentParser, IOException> search) throws IOException {
    if (cursor == null) {
      request.withContentOrSourceParamParserOrNull(search);
      return;
    }
    try (XContentParser whole = request.contentOrSourceParamParser();
        XContentParser rest =
            whole
                .contentType()
                .xContent()
                .createParser(
                    request.getXContentRegistry(),
                    LoggingDeprecationHandler.INSTANCE,
                    withoutCursor(whole).streamInput())) {
      search.accept(rest);
    }
  }

  private static BytesReference withoutCursor(XContentParser whole) throws IOException {
    try (XContentBuilder rest = XContentBuilder.builder(whole.contentType().xContent())) {
      whole.nextToken();
      rest.startObject();
      while (whole.nextToken() == Token.FIELD_NAME) {
        if (whole.currentName().equals(CURSOR)) {
          whole.nextToken();
          whole.skipChildren();
        } else {
          rest.copyCurrentStructure(whole);
        }
      }
      rest.endObject();
      return BytesReference.bytes(rest);
    }
  }
}
