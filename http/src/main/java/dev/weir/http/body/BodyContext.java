package dev.weir.http.body;

import io.netty.buffer.ByteBufAllocator;
import java.util.concurrent.ScheduledExecutorService;

/** What a request provides to its body. Called on the request's event loop. */
public interface BodyContext {
  /** Stops reading the body from the client. */
  void pauseBody();

  /** Resumes reading the body; delivers at once what has already arrived. */
  void resumeBody();

  ScheduledExecutorService eventLoop();

  /** Returns the allocator of the body's buffers. */
  ByteBufAllocator allocator();

  /** Returns the server's count of bytes that clients have announced and not sent. */
  PendingBodyTracker pendingBodies();

  /** Returns the limit of a decoded body, in bytes. */
  int maxContentBytes();
}
