package dev.weir.rest;

import dev.weir.model.ResponseOptions;
import dev.weir.model.SamplingSpec;
import dev.weir.model.SearchPreferences;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks for in the response: which parts, of which sample, in which format. Confined
 * to the exchange's event loop.
 */
final class RequestedContent {
  private @Nullable ResponseOptions options;
  private @Nullable SamplingSpec sample;
  private @Nullable Map<String, String> jsonParameters;
  private @Nullable String requiredFormat;
  private boolean readsColumns;

  void setOptions(ResponseOptions requested) {
    options = requested;
  }

  /** Sets the parameters by which the response is written as JSON; null for another response. */
  void setJsonParameters(@Nullable Map<String, String> parameters) {
    jsonParameters = parameters;
  }

  void setSample(SamplingSpec requested) {
    sample = requested;
  }

  /** Requires a response format that no node supports; the request then cannot pass through. */
  void requireFormat(String format) {
    requiredFormat = format;
    jsonParameters = null;
    options = null; // the format itself determines what the response contains
  }

  /** The response is written from columns of doc values where nodes return them. */
  void readColumns() {
    readsColumns = true;
  }

  /** Returns the format that no node supports; null if a node can respond. */
  @Nullable String requiredFormat() {
    return requiredFormat;
  }

  void applyTo(SearchPreferences search) {
    search.setResponseOptions(options);
    search.setSamplingSpec(sample);
    search.setContentParameters(jsonParameters);
    if (requiredFormat != null) {
      search.requireOwnFormat();
    }
    if (readsColumns) {
      search.readColumns();
    }
  }
}
