/**
 * Reads tenant, user, kind and indices of a request from its method, path and headers, before the
 * body is read. Pure; safe on any thread.
 */
@NullMarked
package dev.weir.admission.head;

import org.jspecify.annotations.NullMarked;
