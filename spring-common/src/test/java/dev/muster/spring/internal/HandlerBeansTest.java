package dev.muster.spring.internal;

import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.muster.Muster;
import dev.muster.job.Job;
import dev.muster.runtime.MusterException;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.aopalliance.intercept.MethodInterceptor;
import org.junit.jupiter.api.Test;
import org.springframework.aop.framework.autoproxy.BeanNameAutoProxyCreator;
import org.springframework.context.annotation.AnnotationConfigApplicationContext;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.context.annotation.DependsOn;
import org.springframework.scheduling.annotation.Async;

/** Which handlers of beans are refused. The calls themselves are tested with Spring Boot and a database. */
class HandlerBeansTest {

    public static class Plain {
        @Job("private_but_not_proxied")
        private String run() {
            return "ran";
        }
    }

    public static class Proxied {
        @Job("public")
        public void everybody() {}

        @Job("package_private")
        void inPackage() {}

        @Job("private")
        private void secret() {}

        @Job("final")
        public final void last() {}
    }

    public interface Face {
        void declared();
    }

    public static class WithFace implements Face {
        @Job("declared")
        @Override
        public void declared() {}

        @Job("undeclared")
        public void undeclared() {}
    }

    private static void check(Consumer<AnnotationConfigApplicationContext> register) {
        try (AnnotationConfigApplicationContext context = new AnnotationConfigApplicationContext()) {
            register.accept(context);
            HandlerBeans handlers = new HandlerBeans(context.getBeanFactory());
            context.registerBean("registrar", Registrar.class, () -> new Registrar(handlers));
            context.refresh();
            handlers.check();
        }
    }

    /** Registers in the middle of the creation of beans, as a bean that uses Muster makes Spring do. */
    record Registrar(HandlerBeans handlers) {
        Registrar {
            handlers.registerWith(Muster.builder());
        }
    }

    private static void proxy(AnnotationConfigApplicationContext context, boolean classes) {
        context.registerBean(BeanNameAutoProxyCreator.class, () -> {
            BeanNameAutoProxyCreator creator = new BeanNameAutoProxyCreator();
            creator.setBeanNames("orders");
            creator.setProxyTargetClass(classes);
            creator.setInterceptorNames("nothing");
            return creator;
        });
        context.registerBean("nothing", MethodInterceptor.class, () -> call -> call.proceed());
    }

    @Test
    void aPrivateMethodIsFineWithoutAProxy() {
        assertThatCode(() -> check(context -> context.registerBean("orders", Plain.class)))
                .doesNotThrowAnyException();
    }

    @Test
    void privateAndFinalMethodsBehindAProxyAreRefusedByName() {
        assertThatThrownBy(() -> check(context -> {
                    proxy(context, true);
                    context.registerBean("orders", Proxied.class);
                }))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("@Job on Proxied.secret is private, but bean 'orders' is behind a proxy")
                .hasMessageContaining("@Job on Proxied.last is final, but bean 'orders' is behind a proxy")
                .hasMessageNotContaining("everybody")
                .hasMessageNotContaining("inPackage");
    }

    @Test
    void aJdkProxyHasTheMethodsOfItsInterfacesAlone() {
        assertThatThrownBy(() -> check(context -> {
                    proxy(context, false);
                    context.registerBean("orders", WithFace.class);
                }))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("@Job on WithFace.undeclared cannot be called")
                .hasMessageContaining("spring.aop.proxy-target-class=true")
                .hasMessageNotContaining("WithFace.declared");
    }

    public static class Asynchronous {
        @Async
        @Job("async")
        public void later() {}

        @Job("sync")
        public void now() {}
    }

    @Test
    void aHandlerThatReturnsBeforeItsWorkIsDoneIsRefused() {
        assertThatThrownBy(() -> check(context -> {
                    proxy(context, true);
                    context.registerBean("orders", Asynchronous.class);
                }))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("@Job on Asynchronous.later of bean 'orders' is @Async")
                .hasMessageNotContaining("Asynchronous.now");
    }

    @Test
    void handlersThatWereNotKnownInTimeAreRefused() {
        assertThatThrownBy(() -> check(context -> {
                    Supplier<Face> hidden = WithFace::new;
                    context.registerBean("late", LateConfiguration.class, () -> new LateConfiguration(hidden));
                }))
                .isInstanceOf(MusterException.class)
                .hasMessageContaining("bean 'face' has handlers that were not found")
                .hasMessageContaining("Declare the @Bean method to return WithFace");
    }

    @Configuration(proxyBeanMethods = false)
    public static class LateConfiguration {
        private final Supplier<Face> supplier;

        LateConfiguration(Supplier<Face> supplier) {
            this.supplier = supplier;
        }

        @Bean
        @DependsOn("registrar")
        Face face() {
            return supplier.get();
        }
    }
}
