package dev.weir.model;

import java.net.InetSocketAddress;

/**
 * What one request, or a part of it, leaves in a trace: a span of its own, and under it one for
 * each phase and each call to a node, as many as may be. {@link #NONE} leaves nothing, and costs
 * nothing. Confined to the request's home.
 */
public interface RequestTrace {
  /** What the trace's id is called in logs. */
  String LOG_FIELD = "trace_id";

  /** Leaves nothing. */
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
        public CallSpan startCall(String action, NodeCallType work, NodeEndpoint node) {
          return CallSpan.NONE;
        }

        @Override
        public PassThroughSpan startPassThrough(String method) {
          return PassThroughSpan.NONE;
        }

        @Override
        public void end(CompletedRequest log) {}
      };

  /** Whether anything is recorded. */
  boolean isRecording();

  /** The trace's id; empty when nothing is recorded. */
  String traceId();

  /** The {@code traceparent} for nodes, which names the request's span; empty for the client's. */
  String traceParent();

  /** A part of the request whose phases are its own. */
  RequestTrace newSubTrace();

  /**
   * A phase begins, and the one before ends; calls are made within it.
   *
   * @param name empty when none begins
   * @param always whether it is shown even if no call is made within it
   */
  void startPhase(String name, boolean always);

  /** A call to a node begins. */
  CallSpan startCall(String action, NodeCallType work, NodeEndpoint node);

  /** The request begins to pass through to a node's REST port. */
  PassThroughSpan startPassThrough(String method);

  /** The request is over: its last byte has left, or its client. */
  void end(CompletedRequest log);

  /** A request's way through to a node's REST port; the first word about its end counts. */
  interface PassThroughSpan {
    /** Leaves nothing. */
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

    /** The {@code traceparent} for the node; empty for that of the request. */
    String traceParent();

    /** It goes to this node, after others that it did not get to. */
    void onNodeSelected(InetSocketAddress node);

    /**
     * The node has answered, and all of its answer has come.
     *
     * @param status as of HTTP
     */
    void onResponse(int status);

    /**
     * There is no answer, or no more of it.
     *
     * @param kind one of few
     */
    void onFailure(String kind, String why);

    /** Nobody waits for it any more. */
    void onAbandoned();
  }

  /** One call to a node; the first word about its end counts. */
  interface CallSpan {
    /** Leaves nothing. */
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
     * It failed.
     *
     * @param kind one of few
     */
    void onFailure(String kind, String why);

    /** Nobody waits for it any more. */
    void onAbandoned();
  }
}
