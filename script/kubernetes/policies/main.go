// Command policies enforces the network policies of a test cluster, in the packet filter of the machine. Its table and
// its queue are its own, so that those of several clusters stand beside each other. See script/kubernetes.ts.
package main

import (
	"context"
	"flag"
	"os/signal"
	"syscall"

	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/kube-network-policies/pkg/networkpolicy"
)

func main() {
	kubeconfig := flag.String("kubeconfig", "", "file with the credential of the API server")
	node := flag.String("node", "", "name of the node")
	table := flag.String("table", "", "name of the table in the packet filter")
	queue := flag.Int("queue", 0, "number of the queue of packets")
	flag.Parse()
	ctx, cancel := signal.NotifyContext(context.Background(), syscall.SIGINT, syscall.SIGTERM)
	defer cancel()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	check(err)
	client, err := kubernetes.NewForConfig(config)
	check(err)
	factory := informers.NewSharedInformerFactory(client, 0)
	controller, err := networkpolicy.NewController(
		client,
		factory.Networking().V1().NetworkPolicies(),
		factory.Core().V1().Namespaces(),
		factory.Core().V1().Pods(),
		nil, nil, nil, nil,
		networkpolicy.Config{
			NodeName:    *node,
			NFTableName: *table,
			QueueID:     *queue,
			// A cluster that was killed must not stop the packets of the next one.
			FailOpen: true,
		},
	)
	check(err)
	factory.Start(ctx.Done())
	check(controller.Run(ctx))
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
