package dev.muster.examples.spring;

import dev.muster.examples.spring.Orders.NewOrder;
import dev.muster.examples.spring.Orders.Order;
import java.util.Map;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RestController;

/** The shop over HTTP. */
@RestController
public class OrderController {
    private final Orders orders;

    public OrderController(Orders orders) {
        this.orders = orders;
    }

    @PostMapping("/orders")
    Map<String, Long> place(@RequestBody NewOrder order) {
        return Map.of("id", orders.place(order));
    }

    @GetMapping("/orders/{id}")
    ResponseEntity<Order> order(@PathVariable("id") long id) {
        return ResponseEntity.of(orders.find(id));
    }
}
