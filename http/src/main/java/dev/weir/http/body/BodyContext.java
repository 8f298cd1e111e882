package dev.weir.http.body;

import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.ScheduledExecutorService;

/** What a body needs of the request that it belongs to. Called on the request's event loop. */
public interface BodyContext {
  /** Reads no more of the body from the client for now. */
  void pauseBody();

  /** Reads the body from the client again; what had arrived before is delivered at once. */
  void resumeBody();

  /** The request's event loop. */
  ScheduledExecutorService eventLoop();

  /** Where the body's buffers come from. */
  ByteBufAllocator allocator();

  /** Counts the bytes that the clients of all requests have announced and not sent. */
  PendingBodyTracker pendingBodies();

  /** The most bytes that a decoded body may have. */
  int maxContentBytes();
}
