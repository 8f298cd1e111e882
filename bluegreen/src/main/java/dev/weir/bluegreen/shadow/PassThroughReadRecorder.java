package dev.weir.bluegreen.shadow;

import dev.weir.model.HttpStatus;
import dev.weir.model.PassThroughObserver;
import dev.weir.model.RequestPolicy;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Copies a pass-through read and its response for a shadow read. Confined to the request's event
 * loop. A failure affects only the copy.
 */
final class PassThroughReadRecorder implements PassThroughObserver.ExchangeObserver {
  private static final Logger LOG = LoggerFactory.getLogger(PassThroughReadRecorder.class);
  private static final String CODING = "content-encoding";

  private final ShadowService service;
  private final SelectedRead selected;
  private final RequestPolicy requestPolicy;
  private final PassThroughObserver.Head headers;
  private final long startNanos;
  private final AccountedByteCopy body;
  private final ResponseCopy response;
  private boolean finished;

  PassThroughReadRecorder(
      ShadowService service,
      SelectedRead selected,
      RequestPolicy requestPolicy,
      PassThroughObserver.Head headers,
      long startNanos) {
    this.service = service;
    this.selected = selected;
    this.requestPolicy = requestPolicy;
    this.headers = headers;
    this.startNanos = startNanos;
    int maxBytes = selected.maxBodyBytes();
    this.body = new AccountedByteCopy(service.copies().pool(), maxBytes);
    this.response =
        new ResponseCopy(
            service.copies().pool(), selected.kind() == ReadKind.EXISTS ? 0 : maxBytes);
  }

  /** Whether the body of a request is encoded. */
  static boolean isBodyEncoded(PassThroughObserver.Head head) {
    for (Map.Entry<String, String> header : head.headers()) {
      if (header.getKey().equalsIgnoreCase(CODING)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public void onRequestBody(ByteBuffer part) {
    runGuarded(() -> {
      switch (body.append(part)) {
        case COPIED -> {}
        case TOO_LONG -> skip(ShadowSkipReason.LARGE_BODY);
        case OUT_OF_MEMORY -> skip(ShadowSkipReason.MEMORY_LIMIT);
      }
    });
  }

  @Override
  public void onHead(int status, String contentType, String coding) {
    runGuarded(() -> {
      if (CapturedResponse.isRejection(status) || status == HttpStatus.UNAUTHORIZED) {
        skip(ShadowSkipReason.REJECTED);
      } else {
        response.setHeaders(status, contentType, coding);
      }
    });
  }

  @Override
  public boolean onContent(ByteBuffer part) {
    runGuarded(() -> response.append(part));
    return !finished;
  }

  @Override
  public void onComplete() {
    runGuarded(() -> {
      RequestCopy kept = copyRequest();
      if (kept == null) {
        skip(ShadowSkipReason.UNTRANSLATABLE);
        return;
      }
      CapturedResponse seen = response.toCapturedResponse(service.nanoTime() - startNanos);
      if (seen == null) {
        service.copies().release(kept);
        skip(ShadowSkipReason.MEMORY_LIMIT);
        return;
      }
      finished = true;
      service.onResponse(selected, kept, seen);
    });
  }

  /** A copy of the request, renamed for the other cluster; null if a name has no counterpart. */
  private @Nullable RequestCopy copyRequest() {
    byte[] bytes = body.takeBytes();
    RequestCopy kept = null;
    try {
      ShadowTarget target = selected.route().target();
      ByteBuffer own = ByteBuffer.wrap(bytes);
      if (target.hasRenamedBodyIndices(headers.originalUri())) {
        own = target.translateBody(headers.originalUri(), headers.headers(), own);
      }
      kept = own == null ? null : copyRequest(own);
    } finally {
      service.copies().adjust(bytes.length, kept);
    }
    return kept;
  }

  private RequestCopy copyRequest(ByteBuffer own) {
    return new RequestCopy(
        headers.method(),
        headers.uri(),
        headers.protocolVersion(),
        List.copyOf(headers.headers()),
        own,
        new RequestCopy.ClientInfo(
            headers.tenant(), requestPolicy, headers.remoteAddress(), headers.localAddress()));
  }

  @Override
  public void onFailure(int status) {
    runGuarded(() -> {
      if (CapturedResponse.isRejection(status)) {
        skip(ShadowSkipReason.REJECTED);
      } else {
        release();
        service.report().incomparable(selected.kind(), ComparisonVerdict.Reason.UNREACHABLE_NODES);
      }
    });
  }

  @Override
  public void onDisconnect() {
    runGuarded(() -> skip(ShadowSkipReason.CLIENT_DISCONNECTED));
  }

  /** Logs an exception and drops the copy; the client's response is unaffected. */
  private void runGuarded(Runnable work) {
    if (finished) {
      return;
    }
    try {
      work.run();
    } catch (RuntimeException | AssertionError e) {
      LOG.error("can't record the pass-through request {} {}", headers.method(), headers.uri(), e);
      if (!finished) {
        skip(ShadowSkipReason.INTERNAL_ERROR);
      }
    }
  }

  private void skip(ShadowSkipReason why) {
    release();
    service.report().recordSkip(why);
  }

  private void release() {
    finished = true;
    body.release();
    response.release();
  }
}
