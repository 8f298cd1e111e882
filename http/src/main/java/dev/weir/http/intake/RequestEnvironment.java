package dev.weir.http.intake;

import dev.weir.http.body.BodyBudget;
import dev.weir.model.CompletedRequest;
import java.util.function.Consumer;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * What an HTTP server calls for each request. All of it is called on event loops, for many
 * connections at once.
 *
 * @param destinations chooses the destination of a request
 * @param headerFilter checks a request's headers before its body is read
 * @param bodyBudget bounds the buffered bodies
 * @param requestLog records each request once, when its last byte has left or its client has
 *     disconnected
 * @param hasRejectionRecord whether the gateway can explain later why it rejected the request of
 *     this id
 * @param nanoClock such as {@link System#nanoTime()}
 */
public record RequestEnvironment(
    DestinationSelector destinations,
    HeaderFilter headerFilter,
    BodyBudget bodyBudget,
    Consumer<CompletedRequest> requestLog,
    LongPredicate hasRejectionRecord,
    LongSupplier nanoClock) {}
