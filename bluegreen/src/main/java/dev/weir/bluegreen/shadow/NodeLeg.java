package dev.weir.bluegreen.shadow;

import dev.weir.model.AnswerParts;
import dev.weir.model.HttpExchange;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * A repeated read on its way through a node of the other cluster. Tells once how it ended, with
 * what it has copied by then. Confined to its home.
 *
 * <pre>
 *   sent --answered, broken or stopped--> over
 * </pre>
 */
final class NodeLeg implements AnswerParts {
  private final AnswerCopy answer;
  private final Ended whenOver;
  private @Nullable Runnable stopped;
  private boolean over;

  /** Hears how a repeated read ended, once. */
  interface Ended {
    /** It was answered; what was copied is the hearer's. */
    void answered(AnswerCopy answer);

    /**
     * It was not.
     *
     * @param status that says why, as a client would be told; 0 where it was stopped
     */
    void broken(int status);
  }

  NodeLeg(AnswerCopy answer, Ended whenOver) {
    this.answer = answer;
    this.whenOver = whenOver;
  }

  /** Sends it. Once, on its home. */
  void begin(ShadowDesk.Nodes nodes, HttpExchange request) {
    Runnable stopping = nodes.send(request, this);
    if (!over) {
      stopped = stopping;
    }
  }

  /** Stops it, unless it is over. On its home. */
  void stop() {
    Runnable stopping = stopped;
    if (!over && stopping != null) {
      stopping.run();
      broken(0);
    }
  }

  @Override
  public void head(int status, String contentType, String coding) {
    answer.head(status, contentType, coding);
  }

  @Override
  public boolean content(ByteBuffer part) {
    return !over && answer.content(part);
  }

  @Override
  public void end() {
    if (!over) {
      over = true;
      whenOver.answered(answer);
    }
  }

  @Override
  public void broken(int status) {
    if (!over) {
      over = true;
      answer.giveBack();
      whenOver.broken(status);
    }
  }
}
