package dev.weir.core.reduce.memory;

import static org.assertj.core.api.Assertions.assertThat;

import dev.weir.model.RequestContext;
import dev.weir.protocol.ReplyFrame;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

class RetainedSearchFramesTest {
  private final RetainedSearchFrames frames = new RetainedSearchFrames();
  private final Counted asked = new Counted();
  private final Counted suggested = new Counted();
  private final Counted fetched = new Counted();

  private void holdOneOfEach() {
    frames.retainUntilMerged(asked);
    frames.retain(suggested);
    frames.retainFetched(fetched);
    assertThat(frames.totalBytes()).isEqualTo(3);
  }

  @Test
  void retainFramesOfTheResponseUntilTheRequestEnds() {
    RequestContext context = new RequestContext(Runnable::run, 1, Map.of());
    holdOneOfEach();

    frames.releaseOnEnd(context);
    assertThat(asked.references).isZero();
    assertThat(suggested.references).isOne();
    assertThat(fetched.references).isOne();
    frames.release();
    assertThat(suggested.references).isOne();

    context.end();
    assertThat(suggested.references).isZero();
    assertThat(fetched.references).isZero();
  }

  @Test
  void retainNoUnusedFrames() {
    holdOneOfEach();
    frames.stopRetaining(false);
    Counted late = new Counted();
    frames.retainFetched(late);

    assertThat(asked.references + suggested.references + fetched.references).isZero();
    assertThat(late.references).isZero();
  }

  @Test
  void retainFramesOfPendingFetchRequests() {
    holdOneOfEach();
    frames.stopRetaining(true);
    assertThat(fetched.references).isZero();
    assertThat(asked.references).isOne();
    assertThat(suggested.references).isOne();

    frames.release();
    assertThat(asked.references + suggested.references).isZero();
  }

  private static final class Counted implements ReplyFrame {
    private int references;

    @Override
    public Map<String, Set<String>> responseHeaders() {
      return Map.of();
    }

    @Override
    public int wireBytes() {
      return 1;
    }

    @Override
    public void retain() {
      references++;
    }

    @Override
    public void release() {
      references--;
    }
  }
}
