package dev.weir.bluegreen.shadow;

import dev.weir.model.PassedWatch;
import dev.weir.model.RequestPolicy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A read that passes through to a node, and is going to be repeated. Copies the request and the
 * answer while they pass. Confined to the request's home; fails for itself alone.
 */
final class PassedRead implements PassedWatch.Onlooker {
  private static final Logger LOG = LoggerFactory.getLogger(PassedRead.class);
  private static final String CODING = "content-encoding";
  private static final int UNAUTHORIZED = 401;

  private final ShadowDesk desk;
  private final Shadowing.Asked asked;
  private final RequestPolicy requests;
  private final PassedWatch.Head head;
  private final long begunNanos;
  private final CopiedBytes body;
  private final AnswerCopy answer;
  private boolean over;

  PassedRead(
      ShadowDesk desk,
      Shadowing.Asked asked,
      RequestPolicy requests,
      PassedWatch.Head head,
      long begunNanos) {
    this.requests = requests;
    this.desk = desk;
    this.asked = asked;
    this.head = head;
    this.begunNanos = begunNanos;
    int most = Math.toIntExact(asked.policy().maxBody().bytes());
    this.body = new CopiedBytes(desk.memory(), most);
    this.answer = new AnswerCopy(desk.memory(), asked.kind() == ReadKind.EXISTS ? 0 : most);
  }

  /** Whether the body of a request can't be read as it is. */
  static boolean isCoded(PassedWatch.Head head) {
    for (Map.Entry<String, String> header : head.headers()) {
      if (header.getKey().equalsIgnoreCase(CODING)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void body(ByteBuffer part) {
    guarded(() -> {
      switch (body.add(part)) {
        case COPIED -> {}
        case TOO_LONG -> forget(Shed.LONG_BODY);
        case NO_ROOM -> forget(Shed.MEMORY);
      }
    });
  }

  @Override
  public void head(int status, String contentType, String coding) {
    guarded(() -> {
      if (SeenAnswer.refuses(status) || status == UNAUTHORIZED) {
        forget(Shed.REFUSED);
      } else {
        answer.head(status, contentType, coding);
      }
    });
  }

  @Override
  public boolean content(ByteBuffer part) {
    guarded(() -> answer.content(part));
    return !over;
  }

  @Override
  public void end() {
    guarded(() -> {
      KeptRequest kept = kept();
      if (kept == null) {
        forget(Shed.UNSAYABLE);
        return;
      }
      SeenAnswer seen = answer.seen(desk.now() - begunNanos);
      if (seen == null) {
        desk.memory().giveBack(kept.bytes());
        forget(Shed.MEMORY);
        return;
      }
      over = true;
      desk.answered(asked, kept, seen);
    });
  }

  /** A copy of the request as the other cluster knows it; null where it can't be said there. */
  private @Nullable KeptRequest kept() {
    byte[] bytes = body.take();
    KeptRequest kept = null;
    try {
      ShadowDesk.Target to = asked.way().to();
      ByteBuffer own = ByteBuffer.wrap(bytes);
      if (to.renamesBody(head.askedUri())) {
        own = to.body(head.askedUri(), head.headers(), own);
      }
      kept = own == null ? null : kept(own);
    } finally {
      desk.settle(bytes.length, kept);
    }
    return kept;
  }

  private KeptRequest kept(ByteBuffer own) {
    return new KeptRequest(
        head.method(),
        head.uri(),
        head.protocolVersion(),
        List.copyOf(head.headers()),
        own,
        new KeptRequest.Sender(head.tenant(), requests, head.remote(), head.local()));
  }

  @Override
  public void broken(int status) {
    guarded(() -> {
      if (SeenAnswer.refuses(status)) {
        forget(Shed.REFUSED);
      } else {
        giveBack();
        desk.report().incomparable(asked.kind(), Verdict.Reason.LOST_NODES);
      }
    });
  }

  @Override
  public void gone() {
    guarded(() -> forget(Shed.GONE));
  }

  /** A defect is this read's own: its client has an answer all the same. */
  private void guarded(Runnable work) {
    if (over) {
      return;
    }
    try {
      work.run();
    } catch (RuntimeException | AssertionError e) {
      LOG.error("can't look on while {} {} passes through", head.method(), head.uri(), e);
      if (!over) {
        forget(Shed.FAILED);
      }
    }
  }

  private void forget(Shed why) {
    giveBack();
    desk.report().shed(why);
  }

  private void giveBack() {
    over = true;
    body.giveBack();
    answer.giveBack();
  }
}
