package dev.weir.http.exchange;

import dev.weir.http.body.BodyFailureListener;
import dev.weir.http.body.BodySink;
import dev.weir.http.body.SpilloverBody;
import dev.weir.http.error.ErrorBody;
import dev.weir.model.BufferedResponse;
import dev.weir.model.RequestRouter;
import dev.weir.model.StreamingResponse;
import io.netty.buffer.ByteBuf;
import java.util.Map;

/** The response side of a coordinated request. Called on the request's event loop. */
interface CoordinatedResponder extends BodyFailureListener {
  /**
   * Returns whether the client still waits, and neither a response nor a node that gives one
   * exists.
   */
  boolean canRespond();

  boolean hasResponse();

  /**
   * Responds unless there is a response already; runs the response's release callback in any case.
   */
  void respond(BufferedResponse response);

  /** Responds with a body that is produced while the client reads it. */
  void respond(StreamingResponse response);

  /** Rejects the request with an error of the gateway. */
  void reject(ErrorBody error, Map<String, String> headers);

  /** Responds 413 and reads no more of the body. */
  void rejectTooLong();

  /** Sends the request to a node with a whole body, which the responder owns from now on. */
  void proxy(RequestRouter.PassThrough decision, ByteBuf whole);

  /** Sends the request to a node with a body that was partly buffered. */
  void proxy(RequestRouter.PassThrough decision, SpilloverBody body);

  /** Delivers the rest of the body to another sink. */
  void redirectBodyTo(BodySink sink);

  /** Tells the sink that took over the body after its last byte had come that this was all. */
  void onBodyEnd();

  /** Closes the connection, so that the client does not take a truncated response for complete. */
  void abortResponse();
}
