package dev.weir.model;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * What a client asks for in the response to its search: which parts, from which sample of the
 * shards, and whether with an explanation of the copies chosen. Owned by a {@link RequestContext}
 * and confined to its event loop.
 */
public final class SearchPreferences {
  private @Nullable ResponseOptions responseOptions;
  private @Nullable SamplingSpec samplingSpec;
  private @Nullable RoutingDecisions routingDecisions;
  private boolean explanationRequested;
  private boolean hasOwnFormat;
  private boolean readsColumns;
  private @Nullable Map<String, String> contentParameters;

  SearchPreferences() {}

  /**
   * Sets the parameters by which the response is written as JSON; null if something reads objects
   * of the response, or writes them in another way.
   */
  public void setContentParameters(@Nullable Map<String, String> parameters) {
    contentParameters = parameters;
  }

  /**
   * The parameters by which the response is written as JSON; null if something reads objects of the
   * response, or writes them in another way.
   */
  public @Nullable Map<String, String> contentParameters() {
    return contentParameters;
  }

  /** The response gets a format that no node supports. */
  public void requireOwnFormat() {
    hasOwnFormat = true;
  }

  /** Returns whether the response gets a format that no node supports. */
  public boolean hasOwnFormat() {
    return hasOwnFormat;
  }

  /** The response is written from columns of doc values where nodes return them. */
  public void readColumns() {
    readsColumns = true;
  }

  /** Returns whether the response is written from columns of doc values where there are any. */
  public boolean readsColumns() {
    return readsColumns;
  }

  /** Asks for an explanation of the copies chosen. */
  public void requestExplanation() {
    explanationRequested = true;
  }

  /** Whether the client asked for an explanation of the copies chosen. */
  public boolean isExplanationRequested() {
    return explanationRequested;
  }

  /** Sets which parts of a search's response the client reads; null for another request. */
  public void setResponseOptions(@Nullable ResponseOptions options) {
    responseOptions = options;
  }

  /** Which parts of a search's response the client reads; null for another request. */
  public @Nullable ResponseOptions responseOptions() {
    return responseOptions;
  }

  /** Sets the sample of shards to search; null for all shards. */
  public void setSamplingSpec(@Nullable SamplingSpec spec) {
    samplingSpec = spec;
  }

  /** The sample of shards to search; null for all shards. */
  public @Nullable SamplingSpec samplingSpec() {
    return samplingSpec;
  }

  /** Sets the record of which copies the gateway chose for this request. */
  public void setRoutingDecisions(RoutingDecisions decisions) {
    routingDecisions = decisions;
  }

  /** The record of which copies the gateway chose; null while it has chosen none. */
  public @Nullable RoutingDecisions routingDecisions() {
    return routingDecisions;
  }
}
