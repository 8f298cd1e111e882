package dev.weir.http.body;

import io.netty.buffer.ByteBuf;
import io.netty.channel.embedded.EmbeddedChannel;
import io.netty.handler.codec.compression.DecompressionException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ScheduledExecutorService;

/** Records what bodies tell, and has an event loop whose turns the test takes. */
final class RecordingBodyListener implements BufferedBody.Listener {
  final List<String> heard = new ArrayList<>();

  /** Whether a body waits for a turn of the event loop. */
  boolean isPaused;

  private final EmbeddedChannel loop = new EmbeddedChannel();

  /** Lets the event loop take one turn; returns whether it has more to do. */
  boolean runTurn() {
    return loop.runScheduledPendingTasks() >= 0;
  }

  /** Lets the event loop take turns until it has nothing more to do. */
  void runTurns() {
    while (runTurn()) {
      // takes the next turn
    }
  }

  /** Ends the event loop. */
  void close() {
    loop.finishAndReleaseAll();
  }

  @Override
  public void onBodyComplete() {
    heard.add("body");
  }

  @Override
  public int onBufferFull(int most) {
    return 0;
  }

  @Override
  public void onTooLong(ByteBuf rest) {
    heard.add("too long");
  }

  @Override
  public void onNoRoom(long wanted) {
    heard.add("no room");
  }

  @Override
  public ScheduledExecutorService eventLoop() {
    return loop.eventLoop();
  }

  @Override
  public void onTurnOver() {
    isPaused = true;
  }

  @Override
  public void onCaughtUp(boolean ended) {
    isPaused = false;
    if (ended) {
      heard.add("ended");
    }
  }

  @Override
  public void onProcessingFailure(Throwable failure) {
    heard.add("failed");
  }

  @Override
  public void onCorrupt(DecompressionException failure) {
    heard.add("corrupt");
  }
}
