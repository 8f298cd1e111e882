package dev.weir.rest;

import dev.weir.model.DeadlineResolver;
import java.util.function.LongSupplier;

/**
 * What the dispatcher uses for each request.
 *
 * @param deadlines resolves the request's deadline
 * @param numbers returns a new number for each request
 * @param longRequests runs long requests on other threads
 */
public record RequestServices(
    DeadlineResolver deadlines, LongSupplier numbers, LongRequestPool longRequests) {}
