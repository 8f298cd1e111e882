package dev.weir.model;

import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/**
 * The trace of one request, or of a part of it: a span of its own, and below it a bounded number of
 * spans for phases and calls to nodes. {@link #NONE} records nothing and costs nothing. Confined to
 * the request's event loop.
 */
public interface RequestTrace {
  /** The name of the trace id in logs. */
  String LOG_FIELD = "trace_id";

  /** Records nothing. */
  RequestTrace NONE =
      new RequestTrace() {
        @Override
        public boolean isRecording() {
          return false;
        }

        @Override
        public String traceId() {
          return "";
        }

        @Override
        public String traceParent() {
          return "";
        }

        @Override
        public RequestTrace newSubTrace() {
          return this;
        }

        @Override
        public void startPhase(String name, boolean always) {}

        @Override
        public CallSpan startCall(String action, @Nullable NodeCallType work, NodeEndpoint node) {
          return CallSpan.NONE;
        }

        @Override
        public PassThroughSpan startPassThrough(String method) {
          return PassThroughSpan.NONE;
        }

        @Override
        public void end(CompletedRequest log) {}
      };

  /** Returns whether anything is recorded. */
  boolean isRecording();

  /** Returns the trace id; empty if nothing is recorded. */
  String traceId();

  /**
   * Returns the {@code traceparent} for nodes, which names the request's span; empty to forward the
   * client's.
   */
  String traceParent();

  /** Creates the trace of a part of the request, with phases of its own. */
  RequestTrace newSubTrace();

  /**
   * Starts a phase and ends the one before.
   *
   * @param name empty to only end the phase
   * @param always whether to record the phase even without a call in it
   */
  void startPhase(String name, boolean always);

  /**
   * Starts the span of a call to a node.
   *
   * @param work null for a call that says nothing about the node's load
   */
  CallSpan startCall(String action, @Nullable NodeCallType work, NodeEndpoint node);

  /** Starts the span of passing the request through to a node's REST port. */
  PassThroughSpan startPassThrough(String method);

  /** Ends the trace: the response's last byte was sent, or the client disconnected. */
  void end(CompletedRequest log);

  /** The span of passing a request through to a node's REST port. Only the first end counts. */
  interface PassThroughSpan {
    /** Records nothing. */
    PassThroughSpan NONE =
        new PassThroughSpan() {
          @Override
          public String traceParent() {
            return "";
          }

          @Override
          public void onNodeSelected(InetSocketAddress node) {}

          @Override
          public void onResponse(int status) {}

          @Override
          public void onFailure(String kind, String why) {}

          @Override
          public void onAbandoned() {}
        };

    /** Returns the {@code traceparent} for the node; empty to use the request's. */
    String traceParent();

    /** The request goes to this node; it did not reach earlier ones. */
    void onNodeSelected(InetSocketAddress node);

    /**
     * The node's response is complete.
     *
     * @param status the HTTP status
     */
    void onResponse(int status);

    /**
     * There is no response, or its rest is missing.
     *
     * @param kind one of a small set of words
     */
    void onFailure(String kind, String why);

    /** No client waits for the response any more. */
    void onAbandoned();
  }

  /** The span of one call to a node. Only the first end counts. */
  interface CallSpan {
    /** Records nothing. */
    CallSpan NONE =
        new CallSpan() {
          @Override
          public void onResponse() {}

          @Override
          public void onFailure(String kind, String why) {}

          @Override
          public void onAbandoned() {}
        };

    /** The node has answered. */
    void onResponse();

    /**
     * The call failed.
     *
     * @param kind one of a small set of words
     */
    void onFailure(String kind, String why);

    /** No client waits for the call any more. */
    void onAbandoned();
  }
}
